// A stdio MCP server of a few lines: its one tool answers half a second after it was called. With the
// argument `deaf` nothing but SIGKILL ends it.
import { createInterface } from 'node:readline'

if (process.argv.includes('deaf')) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'answer', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'late, but here' }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = () => say({ id, result: results[method]?.(params) ?? {} })
  if (method !== 'tools/call') return answer()
  process.stderr.write('called\n')
  setTimeout(answer, 500)
})
