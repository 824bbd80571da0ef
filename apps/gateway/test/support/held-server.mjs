// A stdio server whose tool `hold` answers when the file at GATE is there, with VERSION; `check` is a
// hook that blocks.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { GATE = '', VERSION = '' } = process.env
const held = []

const text = (value) => ({ content: [{ type: 'text', text: value }] })
const send = (id, result) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)

setInterval(() => {
  if (existsSync(GATE)) for (const id of held.splice(0)) send(id, text(VERSION))
}, 20)

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'held', version: VERSION },
  }),
  'tools/list': () => ({
    tools: ['hold', 'say', 'check'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'tools/call': ({ name, arguments: args }, id) => {
    if (name === 'check') {
      return { content: [], structuredContent: { decision: 'block', reason: 'no secrets here' } }
    }
    if (name === 'say') return text(`${VERSION} ${JSON.stringify(args)} ${process.pid}`)
    held.push(id)
    process.stderr.write(`holds ${held.length}\n`)
    return undefined
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = answers[method]?.(params, id)
  if (result) send(id, result)
  else if (!answers[method]) send(id, {})
}
process.exit(0)
