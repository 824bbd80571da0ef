// A stdio MCP server of a few lines, as odd as its first argument, JSON, says:
//
//   tools           names; each answers with its name and this process's id
//   pageSize        tools on one page of the list
//   log             file that gets what it is told, a message a line
//   hangs           it answers nothing
//   deaf            it ignores SIGTERM and the end of its stdin
//   early           tools that come, and are announced, as soon as the handshake is over
//   late            tools that come, and are announced, right after the first list
//   tells           it writes its arguments and its environment to stderr and stdout when it starts
//   ends            and then it exits
//   endsWith        the same, as long as this file is there
//
// Some names do more: `wait` never answers, `die` dies, `add` adds the tool that it is told to.
import { appendFileSync, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const options = JSON.parse(process.argv[2] ?? '{}')
const {
  tools = ['echo'],
  pageSize = 1000,
  log,
  hangs,
  deaf,
  early = [],
  late = [],
  tells,
  ends,
  endsWith,
} = options
const inputSchema = { type: 'object' }
const changed = 'notifications/tools/list_changed'

if (tells) {
  const lines = [...process.argv.slice(3), ...Object.values(process.env)].join('\n')
  process.stderr.write(`${lines}\n`)
  process.stdout.write(`${lines}\n`)
}
if (ends || (endsWith && existsSync(endsWith))) process.exit(3)
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
  'tools/list': (id, { cursor = 0 }) => {
    const end = Number(cursor) + pageSize
    const page = tools.slice(Number(cursor), end).map((name) => ({ name, inputSchema }))
    say({ id, result: { tools: page, ...(end < tools.length && { nextCursor: `${end}` }) } })
    grow(late)
  },
  'tools/call': (id, { name, arguments: args }) => {
    if (name === 'wait') return
    if (name === 'die') process.exit(9)
    if (name === 'add') grow([args.name])
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
