/** An agent of `subjects/bench-agents.ts`, to be chatted with in this process and over HTTP. */
import { createHttpHost } from '@mobius-mcp/http-host'
import { initialize, type MessageHandler, openInProcess } from '@mobius-mcp/protocol'
import { type BenchAgentsOptions, openBenchAgents } from '../subjects/bench-agents.ts'
import { serveSdkProgress } from '../subjects/sdk-progress.ts'
import { serveHono } from '../subjects/serve-hono.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

export interface AgentsCommands extends InspectCommands {
  /** Where it answers over HTTP. */
  start: (options: BenchAgentsOptions) => Promise<string>
  /** The same of the baseline, which talks as the agent does and is nothing else. */
  startBaseline: () => Promise<string>
  /** Milliseconds of one chat in which the model calls the echo so many times. */
  chat: (calls: number) => Promise<number>
}

let handler: MessageHandler | undefined
const commands: Omit<AgentsCommands, keyof InspectCommands> = {
  start,
  startBaseline: serveSdkProgress,
  chat,
}
answerCommands(commands)

async function start(options: BenchAgentsOptions): Promise<string> {
  const { published, ...agents } = await openBenchAgents(options)
  handler = published
  const host = createHttpHost({ route: () => published })
  const { url } = await serveHono({ fetch: host.fetch })
  process.once('SIGTERM', async () => {
    await host.close({ deadline: 0 })
    await agents[Symbol.asyncDispose]()
    process.exit(0)
  })
  return url
}

/** In a session, and so in a thread, of its own. */
async function chat(calls: number): Promise<number> {
  if (!handler) throw new Error('It was not started.')
  const session = openInProcess(handler)
  await initialize(session, { info: { name: 'bench', version: '1.0.0' }, capabilities: {} })
  const begin = performance.now()
  const result = await session.request('tools/call', {
    name: 'chat-with-main',
    arguments: { prompt: `calls ${calls}` },
  })
  const time = performance.now() - begin
  await session.close()
  if (JSON.stringify(result.content) === '[{"type":"text","text":"done"}]') return time
  throw new Error(`The chat ended with ${JSON.stringify(result)}`)
}
