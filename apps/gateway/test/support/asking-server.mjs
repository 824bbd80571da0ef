// A stdio server that asks: `order` a form with a field of each type, `visit` an address. Both answer what
// they were told. `leave` asks, and is gone before there is an answer. `shout` answers with what a terminal would obey. It has the prompts `review` and `plain`.
import { createInterface } from 'node:readline'

const requestedSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    extras: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'a', title: 'Anchovis' },
          { const: 'b', title: 'Basil' },
        ],
      },
    },
    gift: { type: 'boolean', description: 'Wrapped as one' },
    mail: { type: 'string', format: 'email' },
  },
  required: ['name', 'size', 'gift'],
}

const forms = {
  order: { message: 'What shall it \u001b[2Jbe?', requestedSchema },
  leave: { message: 'Are you there?', requestedSchema: { type: 'object', properties: {} } },
  visit: { mode: 'url', message: 'Look here', url: 'file:///etc/passwd', elicitationId: '1' },
}

const prompts = [
  {
    name: 'review',
    description: 'Reviews a file',
    arguments: [{ name: 'file', required: true }, { name: 'tone' }],
  },
  { name: 'plain', description: 'Says hello' },
]

let asked = 0
const waiting = new Map()
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'asking', version: '1' },
  }),
  'tools/list': () => ({
    tools: ['order', 'visit', 'leave', 'shout'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    })),
  }),
  'tools/call': ({ name }, id) => {
    if (name === 'shout') return text('loud \u001b]0;title\u0007\u001b[2J\u202eend')
    asked += 1
    waiting.set(`ask-${asked}`, id)
    send({ id: `ask-${asked}`, method: 'elicitation/create', params: forms[name] })
    if (name === 'leave') setTimeout(() => process.exit(1), 500)
    return undefined
  },
  'prompts/list': () => ({ prompts }),
  'prompts/get': ({ name, arguments: args = {} }) => ({
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: name === 'plain' ? 'hello' : `review ${args.file} ${args.tone ?? 'kindly'}`,
        },
      },
    ],
  }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined && waiting.has(id)) {
    send({ id: waiting.get(id), result: text(`told ${JSON.stringify(result ?? error.message)}`) })
  } else if (id !== undefined) {
    const answer = answers[method] ? answers[method](params ?? {}, id) : {}
    if (answer) send({ id, result: answer })
  }
}
process.exit(0)
