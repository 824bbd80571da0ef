import type { JsonObject } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { answerCalls } from '../src/answer-calls.ts'
import { createToolNames } from '../src/tool-names.ts'
import { ask, finished, userSays } from './support/ask.ts'
import { describeDialects } from './support/dialects.ts'

const plain = { type: 'object', properties: {} }

/** The names, schemas and descriptions that were sent, whatever the dialect calls them. */
function toolsIn(
  body: Record<string, unknown> = {},
): { name: string; schema: JsonObject; description: string }[] {
  const list = body.tools as Record<string, JsonObject>[]
  return list
    .flatMap(
      (tool) =>
        (tool.functionDeclarations as unknown as JsonObject[] | undefined) ?? [
          tool.function ?? tool,
        ],
    )
    .map((tool) => ({
      name: String(tool.name),
      description: String(tool.description ?? ''),
      schema: (tool.parameters ?? tool.input_schema ?? tool.parametersJsonSchema) as JsonObject,
    }))
}

describeDialects(({ fixture, serve }) => {
  const choose = (name: string): RegExp => new RegExp(`"${name}"`)

  test("names that a vendor refuses are replaced, and calls come back by the tool's own", async () => {
    const odd = 'wetter/für heute.und.morgen'
    const { toVendor } = createToolNames([odd])
    // The fixture's model calls the tool by the name that it was given.
    const body = String(fixture.parallel.body).replaceAll('get_weather', toVendor(odd))
    await using asked = await serve([{ body }, fixture.text])
    const { model, server } = asked
    const request = {
      ...userSays('Hi'),
      tools: [{ name: odd, inputSchema: plain }],
      toolChoice: { tool: odd },
    }
    const answer = await ask(model, request)
    const { message } = finished(answer)
    expect(message.content.map((part) => part.type === 'tool-call' && part.name)).toEqual([
      odd,
      odd,
    ])
    const started = answer.events.flatMap((event) =>
      event.type === 'tool-call-start' ? [event.name] : [],
    )
    expect(started).toEqual([odd, odd])
    const [tool] = toolsIn(server.received[0]?.body)
    expect(tool?.name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/)
    // The choice and the history speak of the same name.
    expect(JSON.stringify(server.received[0]?.body).split(`"${tool?.name}"`).length).toBe(3)
    finished(
      await ask(model, {
        ...request,
        messages: [...request.messages, message, ...userSays('x').messages],
      }),
    )
    expect(JSON.stringify(server.received[1]?.body)).not.toContain(odd)
    expect(JSON.stringify(server.received[1]?.body)).toMatch(choose(String(tool?.name)))
  })

  test('a choice at the root of a schema is told in words, and nothing of it is lost', async () => {
    await using asked = await serve([fixture.text])
    const oneOf = [
      { properties: { id: { type: 'string' } }, required: ['id'] },
      { properties: { name: { type: 'string' } }, required: ['name'] },
    ]
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      oneOf,
    }
    finished(
      await ask(asked.model, {
        ...userSays('Hi'),
        tools: [{ name: 'find', description: 'Finds.', inputSchema }],
      }),
    )
    const [tool] = toolsIn(asked.server.received[0]?.body)
    expect(tool?.schema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
    })
    expect(tool?.description).toContain('Finds.')
    expect(tool?.description).toContain(JSON.stringify({ oneOf }))
  })

  test('a schema that says nothing is an object', async () => {
    await using asked = await serve([fixture.text])
    finished(
      await ask(asked.model, { ...userSays('Hi'), tools: [{ name: 'now', inputSchema: {} }] }),
    )
    expect(toolsIn(asked.server.received[0]?.body)[0]?.schema).toMatchObject({
      type: 'object',
      properties: {},
    })
  })

  test('names of arguments that a vendor refuses are replaced and mapped back, however deep', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        '$filter by': { type: 'string' },
        rows: {
          type: 'array',
          items: {
            type: 'object',
            properties: { 'Größe/m': { type: 'number' } },
            required: ['Größe/m'],
          },
        },
      },
      required: ['$filter by'],
    }
    await using probe = await serve([fixture.text])
    const tools = [{ name: 'get_weather', inputSchema }]
    finished(await ask(probe.model, { ...userSays('Hi'), tools }))
    const [tool] = toolsIn(probe.server.received[0]?.body)
    const properties = tool?.schema.properties as Record<
      string,
      { items: { properties: object; required: string[] } }
    >
    const [filter = ''] = Object.keys(properties)
    const [size = ''] = Object.keys(properties.rows?.items.properties ?? {})
    for (const name of [filter, size]) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
    expect([tool?.schema.required, properties.rows?.items.required]).toEqual([[filter], [size]])

    const theirs = { [filter]: 'x', rows: [{ [size]: 1 }] }
    await using asked = await serve([rewrite(fixture.parallel.body, theirs), fixture.text])
    const { message } = finished(await ask(asked.model, { ...userSays('Hi'), tools }))
    const [call] = message.content
    expect(call).toMatchObject({ arguments: { '$filter by': 'x', rows: [{ 'Größe/m': 1 }] } })
    // And as theirs again, when it goes back.
    const messages = [...userSays('Hi').messages, message, ...userSays('x').messages]
    finished(await ask(asked.model, { messages, tools }))
    const sent = JSON.stringify(asked.server.received[1]?.body)
    expect(sent).not.toContain('Größe/m')
  })

  test('arguments that are no JSON object are told, and never called with', async () => {
    if (fixture.dialect === 'google') return // Its arguments are not text.
    const body = String(fixture.parallel.body).replaceAll(/Oslo\\"\}/g, 'Oslo')
    await using asked = await serve([{ body }, fixture.text])
    const { message } = finished(
      await ask(asked.model, {
        ...userSays('Hi'),
        tools: [{ name: 'get_weather', inputSchema: plain }],
      }),
    )
    expect(message.content).toMatchObject([
      {
        arguments: {},
        invalid: {
          text: '{"city":"Oslo',
          reason: expect.stringContaining('Expected a JSON object'),
        },
      },
      { arguments: { city: 'Rome' } },
    ])
    expect(message.content[1]).not.toHaveProperty('invalid')
    // Sent back, it is an object, which every vendor takes.
    const messages = [...userSays('Hi').messages, message, ...userSays('x').messages]
    finished(await ask(asked.model, { messages }))
    expect(JSON.stringify(asked.server.received[1]?.body)).toContain('unreadable_arguments')
  })
})

describeDialects(({ fixture, serve }) => {
  test('a call that nobody answered does not make the conversation unusable', async () => {
    await using asked = await serve([fixture.parallel, fixture.text])
    const tools = [{ name: 'get_weather', inputSchema: plain }]
    const { message } = finished(await ask(asked.model, { ...userSays('Hi'), tools }))
    const [first, second] = message.content.flatMap((part) =>
      part.type === 'tool-call' ? [part.id] : [],
    )
    const content = [{ type: 'text', text: '3 degrees' }] as const
    const result = { type: 'tool-result', id: second ?? '', name: 'get_weather', content } as const
    const messages = [
      ...userSays('Hi').messages,
      message,
      { role: 'tool', content: [result] } as const,
      ...userSays('And?').messages,
    ]
    finished(await ask(asked.model, { messages, tools }))
    const sent = JSON.stringify(asked.server.received[1]?.body)
    expect(sent).toContain('3 degrees')
    expect(sent.split('It was not made').length).toBe(2)
    if (fixture.dialect !== 'google') expect(sent.split(String(first)).length).toBe(3)
  })
})

test('results that were kept one by one are those of one turn', () => {
  const call = (id: string) => ({ type: 'tool-call', id, name: 'a', arguments: {} }) as const
  const result = (id: string) => ({ type: 'tool-result', id, name: 'a', content: [] }) as const
  const said = { role: 'assistant', content: [call('1'), call('2'), call('3')] } as const
  const kept = ['2', '1'].map((id) => ({ role: 'tool', content: [result(id)] }) as const)
  const messages = [said, ...kept, ...userSays('Hi').messages]
  expect(answerCalls(messages)).toEqual([
    said,
    {
      role: 'tool',
      content: [
        result('2'),
        result('1'),
        { ...result('3'), isError: true, content: [expect.anything()] },
      ],
    },
    ...userSays('Hi').messages,
  ])
  expect(answerCalls(userSays('Hi').messages)).toEqual(userSays('Hi').messages)
})

/** Puts other arguments into the fixture's first call. */
function rewrite(body: string | readonly string[], values: JsonObject): { body: string } {
  const text = JSON.stringify(values)
  const quoted = JSON.stringify(text).slice(1, -1)
  return {
    body: String(body)
      .replaceAll('{\\"city\\":\\"Rome\\"}', '{}')
      .replaceAll('{\\"city\\":\\"Oslo\\"}', quoted)
      .replaceAll('{"city":"Oslo"}', text)
      .replace('{\\"city\\":', quoted)
      .replace('"\\"Oslo\\"}"', '""'),
  }
}

test('names: what is fine stays, what is not is the same every time, and none meet', () => {
  const taken = 'a_b_8e9b6b46'
  const names = createToolNames([
    'ok',
    'a.b',
    'a/b',
    'json',
    taken,
    'x'.repeat(80),
    '9lives',
    'ä',
    'ö',
  ])
  const given = ['ok', 'a.b', 'a/b', 'json', taken, 'x'.repeat(80), '9lives', 'ä', 'ö'].map(
    names.toVendor,
  )
  expect(given[0]).toBe('ok')
  expect(given[3]).not.toBe('json')
  expect(given[4]).toBe(taken)
  expect(new Set(given).size).toBe(given.length)
  for (const name of given) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/)
  expect(given.map(names.fromVendor)).toEqual([
    'ok',
    'a.b',
    'a/b',
    'json',
    taken,
    'x'.repeat(80),
    '9lives',
    'ä',
    'ö',
  ])
  // A later request without the others calls it the same.
  expect(createToolNames(['a.b']).toVendor('a.b')).toBe(given[1])
  expect(names.fromVendor('made_up')).toBe('made_up')
})
