import type { Hooks } from '@mobius-mcp/hooks'
import { defineServer, type MessageHandler, tool } from '@mobius-mcp/protocol'
import { type CallEvent, createToolsService, type ToolsService } from '@mobius-mcp/tools-service'
import { connect, type ServerOptions } from '@mobius-mcp/transports'
import type { Upstream } from './contract.ts'
import { echoSchema, toEchoResult } from './echo-schema.ts'

const allowed = { echo: true, watch: true }

/** The name under which clients find the echo. */
export const publicEcho = 'echo__echo'

/**
 * The service with all that is real in place: the echo by schema in and out, or the upstream through
 * `connect`; one rule; an observer that keeps each call's event in a bounded queue, since nothing
 * writes them yet; the timeouts that are armed by default.
 */
export function createMobius(
  upstream?: Upstream,
  hooks?: Hooks,
): {
  service: ToolsService
  published: MessageHandler
} {
  const service = createToolsService({
    connect: (server, { signal, log }) =>
      connect(server.connection as ServerOptions, { signal, log: ({ text }) => log(text) }),
    hooks,
    authorize: ({ server }) => ({ decision: server in allowed ? 'allow' : 'deny', rule: 'bench' }),
    observe: createQueue(1_000),
  })
  if (hooks) service.addServer(defineWatch())
  if (upstream === undefined) service.addServer(defineEcho())
  else service.apply({ servers: [toServer(upstream)] })
  return { service, published: service.publish({ refs: ['*'] }) }
}

function defineEcho(): ReturnType<typeof defineServer> {
  const echo = tool({
    description: 'Echo.',
    input: echoSchema,
    output: echoSchema,
    run: ({ text }) => toEchoResult(text),
  })
  return defineServer({ name: 'echo', version: '1.0.0', tools: { echo } })
}

/** What an observing hook calls. */
function defineWatch(): ReturnType<typeof defineServer> {
  const seen = tool({ description: 'Sees a call.', input: echoSchema, run: () => undefined })
  return defineServer({ name: 'watch', version: '1.0.0', visibility: 'hooks', tools: { seen } })
}

function toServer(upstream: Upstream): { name: string; identity: string; connection: object } {
  const type = 'url' in upstream ? 'http' : 'stdio'
  return { name: 'echo', identity: 'echo', connection: { type, ...upstream } }
}

function createQueue(bound: number): (event: CallEvent) => void {
  let queue: CallEvent[] = []
  return (event) => {
    queue.push(event)
    if (queue.length === bound) queue = []
  }
}
