// A stdio server whose tools leave a line in the file EFFECTS each time that they are called: `note`
// answers at once, `hold` never. `check` is a hook that blocks.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { EFFECTS = '' } = process.env

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'effects', version: '1' },
  }),
  'tools/list': () => ({
    tools: ['note', 'hold', 'check'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'tools/call': ({ name, arguments: args }) => {
    if (name === 'check') {
      return { content: [], structuredContent: { decision: 'block', reason: 'not today' } }
    }
    const text = `${name} ${JSON.stringify(args)}`
    appendFileSync(EFFECTS, `${text}\n`)
    return name === 'hold' ? undefined : { content: [{ type: 'text', text: `did ${text}` }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = answers[method] ? answers[method](params) : {}
  if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
process.exit(0)
