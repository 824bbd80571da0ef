import type { VendorReading } from '@mobius-mcp/testing/models/fixture.ts'
import { type Exchange, openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { summarized } from '@mobius-mcp/testing/models/open-responses.ts'
import { expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { ask, failed, finished, userSays } from './support/ask.ts'
import { describeDialects, key } from './support/dialects.ts'

const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

describeDialects(({ fixture, serve }) => {
  test('text comes piece by piece, and the end says what it took', async () => {
    await using asked = await serve([fixture.text], {
      prices: { 'vendor/*': { input: 1, output: 2, cacheRead: 0.5 } },
    })
    const answer = await ask(asked.model, userSays('Hi'))
    expect(answer.events.filter(({ type }) => type === 'text-delta')).toEqual([
      { type: 'text-delta', id: 'text-0', text: 'Hello' },
      { type: 'text-delta', id: 'text-0', text: ', world!' },
    ])
    const end = finished(answer)
    expect(end).toMatchObject({
      reason: 'stop',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello, world!' }] },
      usage: { inputTokens: 12, cacheReadTokens: 4, outputTokens: 5 },
    })
    expect(end.cost).toBeCloseTo((8 * 1 + 4 * 0.5 + 5 * 2) / 1_000_000, 12)
  })

  test('reasoning comes apart from the answer, and goes back to its provider with its signature', async () => {
    await using asked = await serve([fixture.reasoning, fixture.text])
    const { model, server } = asked
    const answer = await ask(model, { ...userSays('Hi'), reasoning: 'low', maxOutputTokens: 8000 })
    expect([answer.reasoning, answer.text]).toEqual(['Let me see.', '42'])
    const { message } = finished(answer)
    // As it is kept: through JSON.
    const kept = JSON.parse(JSON.stringify(message)) as typeof message
    const request = { messages: [...userSays('Hi').messages, kept, ...userSays('Why?').messages] }
    finished(await ask(model, request))
    const sent = JSON.stringify(server.received[1]?.body)
    if (fixture.dialect === 'openai-chat') expect(sent).not.toContain('Let me see.')
    else expect(sent).toContain('-signature')
  })

  test('parallel calls keep their order, ids and arguments, and results go back to them', async () => {
    await using asked = await serve([fixture.parallel, fixture.text])
    const { model, server } = asked
    const request = { ...userSays('Weather?'), tools: [weather] }
    const answer = await ask(model, request)
    const { message, reason } = finished(answer)
    expect(reason).toBe('tool-calls')
    const calls = answer.events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
    expect(calls).toMatchObject([
      { name: 'get_weather', arguments: { city: 'Oslo' } },
      { name: 'get_weather', arguments: { city: 'Rome' } },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    expect(message.content).toEqual(calls)
    const started = answer.events.flatMap((event) =>
      event.type === 'tool-call-start' ? [event.id] : [],
    )
    expect(started).toEqual(calls.map(({ id }) => id))
    const results = calls.map(({ id, name }, index) => ({
      type: 'tool-result' as const,
      id,
      name,
      content: [{ type: 'text' as const, text: `result ${index}` }],
    }))
    const next = {
      ...request,
      messages: [...request.messages, message, { role: 'tool' as const, content: results }],
    }
    finished(await ask(model, next))
    const sent = JSON.stringify(server.received[1]?.body)
    expect(sent.indexOf('result 0')).toBeGreaterThan(0)
    expect(sent.indexOf('result 0')).toBeLessThan(sent.indexOf('result 1'))
    if (fixture.dialect !== 'google')
      for (const { id } of calls) expect(sent.split(id).length).toBe(3)
  })

  test('images and PDFs are sent as they are, in the form that the vendor documents', async () => {
    await using asked = await serve([fixture.text])
    const { model, server } = asked
    const [image, pdf] = [Buffer.from('an image'), Buffer.from('%PDF-1.7')]
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'image/png', data: new Uint8Array(image) },
      {
        type: 'file',
        mediaType: 'application/pdf',
        data: pdf.toString('base64'),
        filename: 'a.pdf',
      },
    ] as const
    finished(await ask(model, { messages: [{ role: 'user', content }] }))
    const files = fixture.filesIn(server.received[0]?.body ?? {})
    expect(files).toEqual([image.toString('base64'), pdf.toString('base64')])
    for (const part of fixture.files.of(image.toString('base64'), pdf.toString('base64'))) {
      expect(objectsIn(server.received[0]?.body)).toContainEqual(expect.objectContaining(part))
    }
  })

  test('audio is sent, or refused by name where the dialect has none', async () => {
    await using asked = await serve([fixture.text])
    const { model, server } = asked
    const data = Buffer.from('RIFF').toString('base64')
    const content = [{ type: 'file', mediaType: 'audio/wav', data }] as const
    const answer = await ask(model, { messages: [{ role: 'user', content }] })
    if (answer.end.type === 'error') {
      expect(['anthropic', 'openai-responses', 'open-responses']).toContain(fixture.dialect)
      expect(answer.end.error.code).toBe('REQUEST_UNSUPPORTED')
      expect(answer.end.error.message).toContain('audio')
    } else expect(fixture.filesIn(server.received[0]?.body ?? {})).toEqual([data])
  })

  test('an image that a tool returned reaches the model', async () => {
    await using asked = await serve([fixture.text])
    const { model, server } = asked
    const data = Buffer.from('an image').toString('base64')
    const request = {
      messages: [
        ...userSays('Look').messages,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', id: 'c1', name: 'look', arguments: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              id: 'c1',
              name: 'look',
              content: [{ type: 'file', mediaType: 'image/png', data }],
            },
          ],
        },
      ],
    } as const
    finished(await ask(model, request))
    expect(fixture.filesIn(server.received[0]?.body ?? {})).toEqual([data])
  })

  test('an error in the stream is an error, with what had come', async () => {
    await using asked = await serve([fixture.errorMidStream, fixture.text], {
      retry: { attempts: 3 },
    })
    const answer = await ask(asked.model, userSays('Hi'))
    const { error, message } = failed(answer)
    expect(error.code).toBe('UNAVAILABLE')
    expect(error.message.toLowerCase()).toContain('overloaded')
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hel' }])
    // Something was shown, so it is not tried again.
    expect(asked.server.received.length).toBe(1)
  })

  test('an error in the stream is one however it is told', async () => {
    for (const exchange of fixture.otherErrors) {
      await using asked = await serve([exchange])
      const { error, message } = failed(await ask(asked.model, userSays('Hi')))
      expect(['UNAVAILABLE', 'STREAM_INTERRUPTED']).toContain(error.code)
      expect(message.content).toMatchObject([{ type: 'text', text: 'Hel' }])
    }
  })

  test('a stream without its end marker is an error', async () => {
    await using asked = await serve([fixture.truncated])
    const { error, message } = failed(await ask(asked.model, userSays('Hi')))
    expect(error.code).toBe('STREAM_INTERRUPTED')
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hel' }])
  })

  test('a connection that breaks is an error', async () => {
    await using asked = await serve([{ ...fixture.truncated, end: 'reset' }])
    const { error } = failed(await ask(asked.model, userSays('Hi')))
    expect(['STREAM_INTERRUPTED', 'UNAVAILABLE', 'STREAM_MALFORMED']).toContain(error.code)
  })

  test('an answer that is empty, or no stream at all, is an error', async () => {
    for (const body of ['', '<html>Bad gateway</html>', '{"ok":true}', ': ping\n\n']) {
      await using asked = await serve([{ body }])
      failed(await ask(asked.model, userSays('Hi')))
    }
  })

  test('a malformed chunk never becomes success', async () => {
    await using asked = await serve([fixture.malformed])
    const { error } = failed(await ask(asked.model, userSays('Hi')))
    expect(error.code).toBe('STREAM_MALFORMED')
  })

  test('an answer that was cut at the limit says so', async () => {
    await using asked = await serve([fixture.cutOff])
    expect(finished(await ask(asked.model, userSays('Hi')))).toMatchObject({
      reason: 'length',
      message: { content: [{ text: 'Hel' }] },
    })
  })

  test('JSON is asked for and read', async () => {
    await using asked = await serve([fixture.structured])
    const { model, server } = asked
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }
    const end = finished(
      await ask(model, { ...userSays('Where?'), output: { schema, name: 'place' } }),
    )
    expect(end.output).toEqual({ city: 'Oslo' })
    expect(JSON.stringify(server.received[0]?.body)).toMatch(
      /json_?schema|responseSchema|responseJsonSchema/i,
    )
  })

  test('the key is sent, and never said', async () => {
    await using asked = await serve([fixture.unauthorized(key)])
    const { error } = failed(await ask(asked.model, userSays('Hi')))
    expect(JSON.stringify(asked.server.received[0]?.headers)).toContain(key)
    expect(error.code).toBe('NOT_AUTHORIZED')
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(key)
    expect(error.cause).toBeUndefined()
  })

  test("the vendor's own SDK reads the same", async () => {
    const read = async (exchange: Exchange): Promise<VendorReading> => {
      await using asked = await serve([exchange])
      return await fixture.readByVendor(`${asked.server.url}${fixture.basePath}`)
    }
    expect(await read(fixture.text)).toEqual({ text: 'Hello, world!', calls: [] })
    expect(await read(fixture.reasoning)).toEqual({ text: '42', calls: [] })
    expect(await read(fixture.cutOff)).toEqual({ text: 'Hel', calls: [] })
    expect(await read(fixture.structured)).toEqual({ text: '{"city":"Oslo"}', calls: [] })
    expect(await read(fixture.parallel)).toEqual({
      text: '',
      calls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', arguments: { city: 'Rome' } },
      ],
    })
    await expect(read(fixture.unauthorized('key'))).rejects.toThrow(/key/)
    await expect(read(fixture.rateLimited)).rejects.toThrow(/limit|exhausted/i)
    await expect(read(fixture.errorMidStream)).rejects.toThrow(/overloaded/i)
  })
})

test('reasoning that a server of the open standard only sums up is read too', async () => {
  await using server = await openLoopback([summarized])
  const baseUrl = `${server.url}/v1`
  const models = createModels({ providers: { local: { dialect: 'open-responses', baseUrl } } })
  const answer = await ask(models.model('local/m'), userSays('Hi'))
  expect([answer.reasoning, answer.text]).toEqual(['Let me see.', '42'])
})

/** An object and all within it. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}
