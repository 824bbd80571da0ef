// A stdio server that keeps what it is told in memory: `count` counts, the resource memo:///note can
// be subscribed to and is said to have changed by `touch`, `log` says one thing at each level that is
// wanted, `ask` asks its client, and `hold` reports progress and never answers.
import { createInterface } from 'node:readline'

const levels = ['debug', 'info', 'notice', 'warning', 'error']
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })

let count = 0
let level = 'debug'
const subscriptions = new Set()
const questions = new Map()

const tools = {
  count: () => {
    count += 1
    return text(`count ${count}`)
  },
  touch: () => {
    for (const uri of subscriptions)
      say({ method: 'notifications/resources/updated', params: { uri } })
    return text('touched')
  },
  log: () => {
    for (const each of levels.slice(levels.indexOf(level))) {
      say({ method: 'notifications/message', params: { level: each, data: each } })
    }
    return text('logged')
  },
  ask: (_, id) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    const params = { message: 'Who are you?', requestedSchema }
    questions.set(`q${id}`, (answer) => say({ id, result: text(`You are ${answer.content.name}`) }))
    say({ id: `q${id}`, method: 'elicitation/create', params })
  },
  hold: ({ _meta }) => {
    const params = { progressToken: _meta.progressToken, progress: 1 }
    say({ method: 'notifications/progress', params })
  },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'memory', version: '1' },
  }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'tools/call': (params, id) => tools[params.name](params, id),
  'resources/list': () => ({ resources: [{ uri: 'memo:///note', name: 'note' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/subscribe': ({ uri }) => void subscriptions.add(uri) ?? {},
  'resources/unsubscribe': ({ uri }) => void subscriptions.delete(uri) ?? {},
  'logging/setLevel': (params) => {
    level = params.level
    return {}
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) questions.get(id)?.(result)
  else if (id !== undefined) {
    const answer = answers[method] ? answers[method](params, id) : {}
    if (answer) say({ id, result: answer })
  }
}
process.exit(0)
