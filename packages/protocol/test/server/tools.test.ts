import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  defineServer,
  ProtocolError,
  type Schema,
  tool,
  uncheckedSchema,
  withJsonSchema,
} from '../../src/index.ts'
import { build, callText, errorOf, openServer } from '../support/conversation.ts'

const forecast = tool({
  title: 'Forecast',
  description: 'Forecast for one city.',
  input: z.object({ city: z.string().describe('City name'), days: z.int().optional() }),
  output: z.object({ celsius: z.number() }),
  annotations: { readOnlyHint: true, destructiveHint: false },
  icons: [{ src: 'https://x.test/i.png' }],
  _meta: { ours: null },
  run: ({ city, days = 1 }) => ({ celsius: city.length * days }),
})

describe('listing tools', () => {
  test('shows a tool with all that its author said, schemas as JSON Schema 2020-12', async () => {
    await using talk = await openServer({ tools: { forecast } })
    expect(await talk.client.request('tools/list', {})).toMatchInlineSnapshot(`
      {
        "tools": [
          {
            "_meta": {
              "ours": null,
            },
            "annotations": {
              "destructiveHint": false,
              "readOnlyHint": true,
            },
            "description": "Forecast for one city.",
            "icons": [
              {
                "src": "https://x.test/i.png",
              },
            ],
            "inputSchema": {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "properties": {
                "city": {
                  "description": "City name",
                  "type": "string",
                },
                "days": {
                  "maximum": 9007199254740991,
                  "minimum": -9007199254740991,
                  "type": "integer",
                },
              },
              "required": [
                "city",
              ],
              "type": "object",
            },
            "name": "forecast",
            "outputSchema": {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "additionalProperties": false,
              "properties": {
                "celsius": {
                  "type": "number",
                },
              },
              "required": [
                "celsius",
              ],
              "type": "object",
            },
            "title": "Forecast",
          },
        ],
      }
    `)
  })

  test('shows a tool without arguments as taking none', async () => {
    await using talk = await openServer({
      tools: { now: tool({ description: '', run: () => '' }) },
    })
    expect(await talk.client.request('tools/list', {})).toEqual({
      tools: [
        {
          name: 'now',
          description: '',
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        },
      ],
    })
  })

  test('shows a JSON Schema exactly as it was given', async () => {
    const schema = {
      $defs: { a: { $anchor: 'a' } },
      type: 'object',
      allOf: [{ anyOf: [{ required: ['x'] }] }],
    }
    const tools = {
      plain: tool({ description: '', input: uncheckedSchema(schema), run: () => '' }),
      both: tool({
        description: '',
        input: withJsonSchema(z.object({ x: z.string() }), schema),
        run: ({ x }) => x,
      }),
    }
    await using talk = await openServer({ tools })
    const listed = (await talk.client.request('tools/list', {})).tools as { inputSchema: object }[]
    expect(listed.map(({ inputSchema }) => inputSchema)).toEqual([schema, schema])
    expect(await callText(talk.client, 'both', { x: 'checked' })).toBe('checked')
    expect(await errorOf(callText(talk.client, 'both', { x: 1 }))).toContain('-32602')
  })

  test('is no business of a schema that cannot be said: the server is not built, and the place is named', async () => {
    const silentSchema: Schema = {
      '~standard': { version: 1, vendor: 'tiny', validate: (value) => ({ value }) },
    }
    const built = async (input: Schema) =>
      await build(
        defineServer({
          name: 's',
          version: '1',
          tools: { x: tool({ description: '', input, run: () => '' }) },
        }),
      ).then(
        () => 'built',
        (error: Error) => error.message,
      )
    expect(await built(silentSchema)).toMatchInlineSnapshot(
      `"tool x, input: the tiny schema cannot be said as JSON Schema. Use a library with Standard JSON Schema (zod 4.2 or later), or withJsonSchema()."`,
    )
    expect(await built(z.string())).toMatchInlineSnapshot(
      `"tool x, input: expected a schema whose root is an object, received "string""`,
    )
    expect(await built(withJsonSchema(silentSchema, { type: 'object' }))).toBe('built')
  })
})

describe('calling a tool', () => {
  test('gives a structured result, and its text for clients that know none', async () => {
    await using talk = await openServer({ tools: { forecast } })
    const args = { city: 'Oslo', days: 2 }
    expect(await talk.client.request('tools/call', { name: 'forecast', arguments: args })).toEqual({
      content: [{ type: 'text', text: '{"celsius":8}' }],
      structuredContent: { celsius: 8 },
    })
  })

  test('takes a text, content blocks, a whole result or nothing from its author', async () => {
    const whole = { content: [], _meta: { ours: 1 }, isError: false }
    const tools = {
      text: tool({ description: '', run: () => 'a text' }),
      blocks: tool({ description: '', run: () => [{ type: 'image', data: '', mimeType: 'i' }] }),
      whole: tool({ description: '', run: () => whole }),
      nothing: tool({ description: '', run: async () => undefined }),
    }
    await using talk = await openServer({ tools })
    const call = (name: string) => talk.client.request('tools/call', { name })
    expect(await call('text')).toEqual({ content: [{ type: 'text', text: 'a text' }] })
    expect(await call('blocks')).toEqual({ content: [{ type: 'image', data: '', mimeType: 'i' }] })
    expect(await call('whole')).toBe(whole)
    expect(await call('nothing')).toEqual({ content: [] })
  })

  test('without arguments is a call with none', async () => {
    const all = tool({
      description: '',
      input: z.object({ n: z.number().default(7) }),
      run: ({ n }) => String(n),
    })
    await using talk = await openServer({ tools: { all } })
    expect(await callText(talk.client, 'all')).toBe('7')
  })

  test('with wrong arguments is the caller’s mistake, and says what was expected', async () => {
    await using talk = await openServer({ tools: { forecast } })
    expect(
      await errorOf(callText(talk.client, 'forecast', { city: 7, days: 1.5 })),
    ).toMatchInlineSnapshot(
      `"-32602 Invalid arguments for tool forecast: city: Invalid input: expected string, received number; days: Invalid input: expected int, received number"`,
    )
    expect(await errorOf(callText(talk.client, 'forecast', 'Oslo'))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "arguments" must be an object, received "Oslo""`,
    )
    expect(await errorOf(talk.client.request('tools/call', {}))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "name" must be a string, received nothing"`,
    )
  })

  test('that is not there is the caller’s mistake, even where every object has such a member', async () => {
    await using talk = await openServer({ tools: { forecast } })
    for (const name of ['nowcast', 'toString', '__proto__', 'constructor']) {
      expect(await errorOf(callText(talk.client, name))).toBe(`-32602 Unknown tool: ${name}`)
    }
  })

  test('that throws is a result with isError, but for what no result can say', async () => {
    const failing = (error: unknown) =>
      tool({
        description: '',
        run() {
          throw error
        },
      })
    const tools = {
      now: failing(new Error('The disk is full')),
      later: tool({
        description: '',
        async run() {
          throw new Error('No such file')
        },
      }),
      odd: failing('just a text'),
      mistake: failing(new ProtocolError('INVALID_PARAMS', 'page: expected less than 10')),
      visit: failing(
        new ProtocolError('URL_ELICITATION_REQUIRED', 'Sign in first', { data: { url: 'u' } }),
      ),
    }
    await using talk = await openServer({ tools })
    const call = (name: string) => callText(talk.client, name)
    expect(await call('now')).toBe('failed: The disk is full')
    expect(await call('later')).toBe('failed: No such file')
    expect(await call('odd')).toBe('failed: just a text')
    expect(await errorOf(call('mistake'))).toBe('-32602 page: expected less than 10')
    expect(await errorOf(call('visit'))).toBe('-32042 Sign in first')
  })

  test('whose output is not what it promised fails, and says where', async () => {
    const promising = (value: unknown) =>
      tool({
        description: '',
        output: z.object({ list: z.array(z.object({ id: z.number() })) }),
        run: () => value as { list: { id: number }[] },
      })
    const tools = {
      good: promising({ list: [{ id: 1 }] }),
      bad: promising({ list: [{ id: 'x' }] }),
      none: promising(undefined),
      given: promising({ content: [], structuredContent: { list: [] }, _meta: { a: 1 } }),
      wrongly: promising({ content: [], structuredContent: { list: 1 } }),
      failed: promising({ content: [{ type: 'text', text: 'no' }], isError: true }),
    }
    await using talk = await openServer({ tools })
    const call = (name: string) => callText(talk.client, name)
    expect(await call('good')).toBe('{"list":[{"id":1}]}')
    expect(await call('bad')).toMatchInlineSnapshot(
      `"failed: Tool bad returned what its output schema does not allow: list.0.id: Invalid input: expected number, received string"`,
    )
    expect(await call('none')).toContain('failed: Tool none returned what')
    expect(await call('wrongly')).toContain('failed: Tool wrongly returned what')
    expect(await call('failed')).toBe('failed: no')
    expect(await talk.client.request('tools/call', { name: 'given' })).toEqual({
      content: [],
      structuredContent: { list: [] },
      _meta: { a: 1 },
    })
  })

  test('may have an output with members called content and isError', async () => {
    const page = tool({
      description: '',
      output: z.object({ content: z.array(z.string()), isError: z.boolean() }),
      run: async () => ({ content: ['a'], isError: false }),
    })
    await using talk = await openServer({ tools: { page } })
    expect((await talk.client.request('tools/call', { name: 'page' })).structuredContent).toEqual({
      content: ['a'],
      isError: false,
    })
  })
})

describe('schemas', () => {
  test('may check asynchronously, on both sides', async () => {
    const known = async (id: string) => id === 'a'
    const find = tool({
      description: '',
      input: z.object({ id: z.string().refine(known, 'no such id') }),
      output: z.object({ id: z.string().refine(async (id) => id !== 'secret', 'not for you') }),
      run: ({ id }) => ({ id: id === 'a' ? 'A' : 'secret' }),
    })
    const leak = tool({
      description: '',
      output: z.object({ id: z.string().refine(async (id) => id !== 'secret', 'not for you') }),
      run: () => ({ id: 'secret' }),
    })
    await using talk = await openServer({ tools: { find, leak } })
    expect(await callText(talk.client, 'find', { id: 'a' })).toBe('{"id":"A"}')
    expect(await errorOf(callText(talk.client, 'find', { id: 'b' }))).toBe(
      '-32602 Invalid arguments for tool find: id: no such id',
    )
    expect(await callText(talk.client, 'leak')).toContain('id: not for you')
  })

  test('change what the tool gets, and what the client sees', async () => {
    const trim = tool({
      description: '',
      input: z.object({ text: z.string().trim() }),
      output: z.object({ text: z.string().toUpperCase() }),
      run: ({ text }) => ({ text }),
    })
    await using talk = await openServer({ tools: { trim } })
    expect(await callText(talk.client, 'trim', { text: '  a ' })).toBe('{"text":"A"}')
  })

  test('may be any Standard Schema, one that needs its own object too', async () => {
    class Even implements Schema<{ n: number }> {
      readonly '~standard' = new EvenStandard()
    }
    const half = tool({ description: '', input: new Even(), run: ({ n }) => String(n / 2) })
    await using talk = await openServer({ tools: { half } })
    expect(await callText(talk.client, 'half', { n: 4 })).toBe('2')
    expect(await errorOf(callText(talk.client, 'half', { n: 3 }))).toMatchInlineSnapshot(
      `"-32602 Invalid arguments for tool half: n.0: must be even; also odd"`,
    )
  })

  test('that throw, in output, make the tool fail, at once or later', async () => {
    const broken = withJsonSchema(
      {
        '~standard': {
          version: 1 as const,
          vendor: 'tiny',
          validate() {
            throw new Error('The schema is broken')
          },
        },
      },
      { type: 'object' },
    )
    const tools = {
      now: tool({ description: '', output: broken, run: () => ({ n: 1 }) }),
      later: tool({ description: '', output: broken, run: async () => ({ n: 1 }) }),
    }
    await using talk = await openServer({ tools })
    expect(await callText(talk.client, 'now')).toBe('failed: The schema is broken')
    expect(await callText(talk.client, 'later')).toBe('failed: The schema is broken')
  })
})

class EvenStandard {
  readonly version = 1
  readonly vendor = 'tiny'
  readonly types?: { input: { n: number }; output: { n: number } }
  readonly #issues = [{ message: 'must be even', path: ['n', { key: 0 }] }, { message: 'also odd' }]
  readonly jsonSchema = { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) }

  validate(value: unknown) {
    const { n } = value as { n: number }
    return n % 2 === 0 ? { value: { n } } : { issues: this.#issues }
  }
}
