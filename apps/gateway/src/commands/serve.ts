import type { HttpSettings } from '@mobius-mcp/config'
import { bearerKeys, createHttpHost, type HttpHost } from '@mobius-mcp/http-host'
import type { MessageHandler } from '@mobius-mcp/protocol'
import type { ToolsService } from '@mobius-mcp/tools-service'
import { announce } from '../announce.ts'
import { assemble, type Gateway } from '../assemble.ts'
import { checkBind, listen, parseListen } from '../listen.ts'
import type { CommonOptions } from '../program.ts'
import { untilSignal } from '../until-signal.ts'

export interface ServeOptions extends CommonOptions {
  listen?: string
  insecure?: boolean
}

/** How long calls in flight may take to end when the gateway stops. */
const stopWithin = 10_000

/** `mobius serve`: serves MCP over HTTP until it is told to stop. */
export async function serve(config: string | undefined, options: ServeOptions): Promise<number> {
  await using gateway = await assemble(config, options)
  const http = gateway.configuration?.http
  const address = parseListen(options.listen ?? process.env.MOBIUS_LISTEN) ?? http?.listen
  const bind = address ?? { host: '127.0.0.1', port: 8420 }
  checkBind(bind, { keys: http?.keys.length ?? 0, insecure: options.insecure ?? false })
  const host = createDoors(gateway, http)
  const listening = await listen(host.fetch, bind)
  announce({ ...listening, gateway })
  const signal = await untilSignal()
  process.stderr.write(`${signal}: waiting for calls in flight; press again to stop at once\n`)
  await host.close({ deadline: stopWithin })
  await listening.close()
  return 0
}

/** The doors: `/mcp` for all that is published, `/mcp/s/<server>` for one server as it is. */
function createDoors(gateway: Gateway, http: HttpSettings | undefined): HttpHost {
  const { service, published } = gateway
  const route = createRoute(service, published)
  return createHttpHost({
    route,
    ...(http && http.keys.length > 0 ? { authenticate: bearerKeys(http.keys) } : {}),
    allowedHosts: http?.allowedHosts,
    allowedOrigins: http?.allowedOrigins,
    trustedProxies: http?.trustedProxies,
    maxBodyBytes: http?.maxBodyBytes,
    keepAlive: http?.keepAlive,
    sessions: http?.sessions,
  })
}

function createRoute(
  service: ToolsService,
  published: MessageHandler,
): (path: string) => MessageHandler | undefined {
  const single = new Map<string, MessageHandler>()
  const prefix = '/mcp/s/'
  return (path) => {
    if (path === '/mcp') return published
    if (!path.startsWith(prefix)) return undefined
    const name = decode(path.slice(prefix.length))
    const handler = single.get(name) ?? service.publishServer(name)
    if (handler) single.set(name, handler)
    return handler
  }
}

/** What cannot be decoded is nobody's name. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
