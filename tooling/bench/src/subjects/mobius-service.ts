import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileHooks, type Hooks } from '@mobius-mcp/hooks'
import { compileRules } from '@mobius-mcp/permissions'
import { defineServer, type MessageHandler, tool } from '@mobius-mcp/protocol'
import { createMetrics, openCallLog } from '@mobius-mcp/telemetry'
import { createToolsService, type ToolsService } from '@mobius-mcp/tools-service'
import { connect, type ServerOptions } from '@mobius-mcp/transports'
import type { Upstream } from './contract.ts'
import { echoSchema, toEchoResult } from './echo-schema.ts'

/** The name under which clients find the echo. */
export const publicEcho = 'echo__echo'

/** One observing hook on each call of the echo: a `defineServer` tool in process. */
export const watching: Hooks = compileHooks([
  {
    id: 'watch',
    point: 'tools/call',
    params: { server: 'echo', direction: 'request' },
    target: { server: 'watch', tool: 'seen' },
    mutate: false,
    with: { text: 'tools/call' },
  },
])

/**
 * The service with all that is real in place: the echo by schema in and out, or the upstream through
 * `connect`; one rule; the record of calls and the metrics, as the gateway has them; the timeouts
 * that are armed by default.
 */
export function createMobius(
  upstream?: Upstream,
  hooks?: Hooks,
): {
  service: ToolsService
  published: MessageHandler
  close(): Promise<void>
} {
  const folder = mkdtempSync(join(tmpdir(), 'mobius-bench-'))
  const calls = openCallLog({ folder })
  const metrics = createMetrics()
  const service = createToolsService({
    connect: (server, { signal, log }) =>
      connect(server.connection as ServerOptions, { signal, log: ({ text }) => log(text) }),
    hooks,
    authorize: compileRules({ allow: ['echo'] }),
    observe(event) {
      metrics.observe(event)
      calls.write(event)
    },
  })
  if (hooks) service.addServer(defineWatch())
  if (upstream === undefined) service.addServer(defineEcho())
  else service.apply({ servers: [toServer(upstream)] })
  return {
    service,
    published: service.publish({ refs: ['*'] }),
    async close() {
      await service.close()
      await calls.close()
      rmSync(folder, { recursive: true })
    },
  }
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
