import { namedSse, sse } from '@mobius-mcp/testing/models/loopback.ts'
import { expect, test } from 'vitest'
import type { ModelMessage } from '../src/index.ts'
import { ask, failed, finished, userSays } from './support/ask.ts'
import { describeDialects } from './support/dialects.ts'

/**
 * What nanobot's language models do wrong (`reference/nanobot.md` 6.9 and 10.1, 15 to 20, as far as it is theirs), as the right
 * behaviour. Rollback, skipped calls and compaction are the loop's.
 */
describeDialects(({ fixture, serve }) => {
  const weather = { name: 'get_weather', inputSchema: { type: 'object', properties: {} } }

  test('16: a failure keeps what was said and called before it', async () => {
    await using asked = await serve([fixture.errorMidStream])
    expect(failed(await ask(asked.model, userSays('Hi'))).message.content).toMatchObject([
      { text: 'Hel' },
    ])
  })

  test('17: calls keep the order in which they were made, and what cannot be read is marked', async () => {
    await using asked = await serve([fixture.parallel])
    const { message } = finished(await ask(asked.model, { ...userSays('Hi'), tools: [weather] }))
    expect(message.content).toMatchObject([
      { arguments: { city: 'Oslo' } },
      { arguments: { city: 'Rome' } },
    ])
  })

  test('19: every dialect has structured output', async () => {
    await using asked = await serve([fixture.structured])
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, note: { type: 'string' } },
    }
    const { output } = finished(await ask(asked.model, { ...userSays('Hi'), output: { schema } }))
    expect(output).toEqual({ city: 'Oslo' })
    const sent = JSON.stringify(asked.server.received[0]?.body)
    expect(sent).toContain('"note"')
    // Strictness would make the optional note required, or have the schema refused.
    expect(sent).not.toContain('"strict":true')
  })

  test('19: a tool can be demanded, by name or any, in the form that the vendor documents', async () => {
    await using asked = await serve([fixture.parallel])
    for (const toolChoice of ['required', { tool: 'get_weather' }] as const) {
      finished(await ask(asked.model, { ...userSays('Hi'), tools: [weather], toolChoice }))
    }
    const choices = asked.server.received.map(({ body }) => body.tool_choice ?? body.toolConfig)
    expect(choices).toEqual(
      {
        'openai-chat': ['required', { type: 'function', function: { name: 'get_weather' } }],
        'openai-responses': ['required', { type: 'function', name: 'get_weather' }],
        'open-responses': ['required', { type: 'function', name: 'get_weather' }],
        anthropic: [{ type: 'any' }, { type: 'tool', name: 'get_weather' }],
        google: [
          { functionCallingConfig: { mode: 'ANY' } },
          { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] } },
        ],
      }[fixture.dialect],
    )
  })

  test('19: a line of two megabytes is read', async () => {
    const long = 'x'.repeat(2_000_000)
    const body = String(fixture.text.body).replaceAll(', world!', long)
    await using asked = await serve([{ body }])
    expect((await ask(asked.model, userSays('Hi'))).text.length).toBe(5 + long.length)
  })

  test('19: every model is told that a call failed', async () => {
    await using asked = await serve([fixture.text])
    const messages: ModelMessage[] = [
      ...userSays('Hi').messages,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'c1', name: 'get_weather', arguments: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            id: 'c1',
            name: 'get_weather',
            isError: true,
            content: [{ type: 'text', text: 'No such city' }],
          },
        ],
      },
    ]
    finished(await ask(asked.model, { messages, tools: [weather] }))
    const sent = JSON.stringify(asked.server.received[0]?.body)
    expect(sent).toContain(
      fixture.dialect === 'anthropic' ? '"is_error":true' : 'The call failed: No such city',
    )
  })

  test('6.9: limits are sent in every dialect, and a reasoning answer is not', async () => {
    await using asked = await serve([fixture.text])
    finished(await ask(asked.model, { ...userSays('Hi'), maxOutputTokens: 77 }))
    const sent = JSON.stringify(asked.server.received[0]?.body)
    expect(sent).toMatch(/"(max_tokens|max_output_tokens|maxOutputTokens)":77/)
  })

  test('6.9: a call with no arguments is a call with an empty object', async () => {
    await using asked = await serve([fixture.text])
    const messages: ModelMessage[] = [
      ...userSays('Hi').messages,
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name: 'now', arguments: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', id: 'c1', name: 'now', content: [] }] },
    ]
    finished(await ask(asked.model, { messages }))
    expect(JSON.stringify(asked.server.received[0]?.body)).toMatch(
      /"(arguments|input|args)":("\{\}"|\{\})/,
    )
  })

  test('6.9: reasoning of another provider is not given to this one', async () => {
    await using asked = await serve([fixture.text])
    const replay = { provider: 'other', metadata: { anthropic: { signature: 'theirs' } } }
    const messages: ModelMessage[] = [
      ...userSays('Hi').messages,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'secret thought', replay },
          { type: 'text', text: 'Yes', replay },
        ],
      },
      ...userSays('Why?').messages,
    ]
    finished(await ask(asked.model, { messages }))
    const sent = JSON.stringify(asked.server.received[0]?.body)
    expect(sent).not.toMatch(/secret thought|theirs/)
    expect(sent).toContain('Yes')
  })

  test('6.9: a repeated beginning is marked where the vendor wants marks, and not where it is unwanted', async () => {
    await using asked = await serve([fixture.text])
    const request = { ...userSays('Hi'), instructions: 'Be kind.' }
    finished(await ask(asked.model, { ...request, cache: { key: 'thread-1' } }))
    finished(await ask(asked.model, { ...request, cache: false }))
    const [marked, plain] = asked.server.received.map(({ body }) => JSON.stringify(body))
    if (fixture.dialect === 'anthropic') expect(marked?.split('"cache_control"').length).toBe(3)
    if (fixture.dialect === 'openai-responses')
      expect(marked).toContain('"prompt_cache_key":"thread-1"')
    expect(plain).not.toMatch(/cache_control|prompt_cache_key/)
  })
})

describeDialects(({ fixture, serve }) => {
  test('6.9: a response that failed without saying why is no success', async () => {
    const bodies = {
      'openai-chat': sse({ error: {} }),
      'openai-responses': namedSse({
        type: 'response.failed',
        ...{ response: { error: null, incomplete_details: null } },
      }),
      'open-responses': namedSse({
        type: 'response.failed',
        ...{ response: { error: null, incomplete_details: null } },
      }),
      anthropic: namedSse({ type: 'error', ...{ error: {} } }),
      google: sse({ promptFeedback: {} }),
    }
    await using asked = await serve([{ body: bodies[fixture.dialect] }])
    failed(await ask(asked.model, userSays('Hi')))
  })
})
