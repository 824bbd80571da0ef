// A stdio MCP server of a few lines, as odd as its first argument, JSON, says:
//
//   tools           names; each answers with its name and this process's id
//   log             file that gets what it is told, a message a line
//   hangs           it answers nothing
//   deaf            it ignores SIGTERM and the end of its stdin
//   early           tools that come, and are announced, as soon as the handshake is over
//   late            tools that come, and are announced, right after the first list
//   says            lines for stderr when it starts, and again for stdout
//
// Three tools do more: `wait` never answers, `die` dies, `tick` reports progress until it is told to stop.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const options = JSON.parse(process.argv[2] ?? '{}')
const { tools = ['echo'], log, hangs, deaf, early = [], late = [], says = [] } = options
const changed = 'notifications/tools/list_changed'

for (const line of says) process.stderr.write(`${line}\n`)
for (const line of says) process.stdout.write(`${line}\n`)
if (deaf) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}

function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function grow(names) {
  for (const name of names.splice(0)) {
    tools.push(name)
    say({ method: changed })
  }
}

const methods = {
  initialize: (id, { protocolVersion }) => {
    const capabilities = { tools: { listChanged: true } }
    const serverInfo = { name: 'case', version: '1' }
    say({ id, result: { protocolVersion, capabilities, serverInfo } })
  },
  'notifications/initialized': () => grow(early),
  'tools/list': (id) => {
    const inputSchema = { type: 'object' }
    say({ id, result: { tools: tools.map((name) => ({ name, inputSchema })) } })
    grow(late)
  },
  'tools/call': (id, { name }) => {
    if (name === 'wait') return
    if (name === 'die') process.exit(9)
    if (tools.includes(name)) {
      say({ id, result: { content: [{ type: 'text', text: `${name} by ${process.pid}` }] } })
    } else say({ id, error: { code: -32602, message: `Unknown tool: ${name}` } })
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (log) appendFileSync(log, `${line}\n`)
  if (hangs) return
  const { id, method, params = {} } = JSON.parse(line)
  methods[method]?.(id, params)
})
