// A stdio server whose tool `ask` asks a model what its argument `params` says, and answers with what came
// of it; `may` says whether it was told that it may ask.
import { createInterface } from 'node:readline'

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const waiting = new Map()
let capabilities = {}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) say({ id: waiting.get(id), result: text(result ?? error) })
  else if (method === 'initialize') {
    capabilities = params.capabilities
    const { protocolVersion } = params
    const serverInfo = { name: 'asking', version: '1' }
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else if (method === 'tools/list') {
    say({
      id,
      result: { tools: ['ask', 'may'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
    })
  } else if (method === 'tools/call' && params.name === 'may') {
    say({ id, result: text(capabilities.sampling ?? null) })
  } else if (method === 'tools/call') {
    waiting.set(`asked-${id}`, id)
    const messages = [{ role: 'user', content: { type: 'text', text: 'How are you?' } }]
    const asked = { messages, maxTokens: 100, ...params.arguments.params }
    say({ id: `asked-${id}`, method: 'sampling/createMessage', params: asked })
  } else if (id !== undefined) say({ id, result: {} })
}
process.exit(0)
