/** Checked by `tsc`, never run: what an author's types say. */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { defineServer, type Schema, tool, uncheckedSchema, withJsonSchema } from '../src/index.ts'

const city = z.object({ city: z.string(), days: z.number().default(1) })
const answer = z.object({ kind: z.enum(['sun', 'rain']), hours: z.array(z.literal(1)) })
const description = ''

// The arguments are what the schema makes of them.
tool({
  description,
  input: city,
  run({ city, days }) {
    const text: string = city
    const number: number = days
    return text.repeat(number)
  },
})
// @ts-expect-error: there is no such argument.
tool({ description, input: city, run: ({ country }) => country })
tool({ description, input: uncheckedSchema({}), run: (args) => String(args.anything) })
tool({ description, input: withJsonSchema(city, {}), run: ({ days }) => days.toFixed() })

// Without `output`: a text, blocks, a result or nothing, and nobody needs `as const`.
tool({ description, run: () => [{ type: 'text', text: '' }] })
tool({ description, input: city, run: async ({ city }) => [{ type: 'text', text: city }] })
tool({ description, run: async () => ({ content: [{ type: 'text', text: '' }], isError: true }) })
tool({ description, run: (): CallToolResult => ({ content: [], ours: true }) })
tool({ description, async run() {} })
tool({ description, run() {} })
// @ts-expect-error: a number is neither.
tool({ description, run: () => 7 })
// @ts-expect-error: there is no such kind of content.
tool({ description, run: () => [{ type: 'smell', text: '' }] })

// With `output`: the value, or a result that holds it.
tool({ description, output: answer, run: () => ({ kind: 'sun', hours: [1] }) })
tool({
  description,
  output: answer,
  async run(_, context) {
    context.log('info', 'x')
    return { kind: 'rain', hours: [] }
  },
})
tool({
  description,
  output: answer,
  run: () => ({ content: [], structuredContent: { kind: 'sun', hours: [] } }),
})
// @ts-expect-error: there is no such weather.
tool({ description, output: answer, run: () => ({ kind: 'frogs', hours: [] }) })
// @ts-expect-error: a text is no value of the schema.
tool({ description, output: answer, run: () => 'sun' })

// A Standard Schema of any make.
declare const foreign: Schema<{ a: string }, { a: number }>
tool({ description, input: foreign, run: ({ a }) => a.toFixed() })
tool({ description, output: foreign, run: () => ({ a: 'x' }) })

defineServer({
  name: 'n',
  version: '1',
  tools: async ({ principal }) => ({ [principal.id]: tool({ description, run: () => '' }) }),
  prompts: { p: { get: () => [{ role: 'user', content: { type: 'text', text: '' } }] } },
  resources: { 'x:y': { name: 'y', read: () => new Uint8Array() } },
  resourceTemplates: { 'x:{y}': { name: 'y', read: ({ y }) => (y === undefined ? y : `${y}`) } },
})
// @ts-expect-error: a server has a version.
defineServer({ name: 'n' })
