import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgents } from '@mobius-mcp/agent-server'
import { defineServer, localPrincipal, type MessageHandler, tool } from '@mobius-mcp/protocol'
import { createMemoryState, openLeaseHolder, type State } from '@mobius-mcp/state'
import { openStore } from '@mobius-mcp/store'
import { createToolsService } from '@mobius-mcp/tools-service'
import { benchModels } from './bench-models.ts'
import { echoSchema, toEchoResult } from './echo-schema.ts'

/** Where threads are kept. */
export type Keeping = 'memory' | 'sqlite'

/** An agent `main` with an echo, and a long thread and many threads where they were asked for. */
export interface BenchAgents extends AsyncDisposable {
  readonly published: MessageHandler
}

/** The thread that holds as many items as were asked for. */
export const longThread = 'long'

export interface BenchAgentsOptions {
  readonly keeping: Keeping
  /** Items of the thread `long`; none by default. */
  readonly items?: number
  /** Threads beside it; none by default. */
  readonly threads?: number
}

export async function openBenchAgents(options: BenchAgentsOptions): Promise<BenchAgents> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mobius-bench-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const state: State =
    options.keeping === 'memory'
      ? createMemoryState({})
      : stack.use(await openStore(join(folder, 'state.db')))
  await fill(state, options)
  const owner = stack.use(await openLeaseHolder({ leases: state.leases }))
  const service = createToolsService()
  stack.defer(() => service.close())
  const agents = stack.use(
    createAgents({
      models: benchModels,
      state,
      owner,
      callerFor: (actor) => service.callerFor(actor),
    }),
  )
  service.addServer(defineEcho())
  const limits = { turns: 100_000 }
  service.addServer(agents.serve({ name: 'main', tools: ['echo'], limits }))
  const published = service.publish({ refs: ['main/chat-with-main:chat-with-main', 'main'] })
  const all = stack.move()
  return { published, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function fill(state: State, { items = 0, threads = 0 }: BenchAgentsOptions): Promise<void> {
  const principal = localPrincipal
  for (let index = 0; index < threads; index += 1) {
    const title = `About ${index}`
    await state.threads.create({ id: `t${index}`, principal, agent: 'main', title, at: index })
  }
  if (items === 0) return
  await state.threads.create({ id: longThread, principal, agent: 'main', at: Date.now() })
  const text = 'A sentence of the length that people say to one another in a conversation.'
  const all = Array.from({ length: items }, (_, index) => ({
    id: `i${index}`,
    value: { type: 'user', turn: `${index}`, content: [{ type: 'text', text }] },
  }))
  await state.threads.append(principal, longThread, { items: all, at: Date.now() })
}

function defineEcho(): ReturnType<typeof defineServer> {
  const echo = tool({
    description: 'Echo.',
    input: echoSchema,
    output: echoSchema,
    annotations: { readOnlyHint: true },
    run: ({ text }) => toEchoResult(text),
  })
  return defineServer({ name: 'echo', version: '1.0.0', tools: { echo } })
}
