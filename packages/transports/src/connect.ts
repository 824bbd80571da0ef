import type { Wire } from '@mobius-mcp/protocol'
import type { ConnectEnvironment } from './environment.ts'
import type { HttpOptions } from './http-options.ts'
import { createStdioWire, type StdioOptions } from './stdio.ts'

/** Where a server is and how it is reached. Values are final: nothing is expanded. */
export type ServerOptions =
  | ({ readonly type: 'stdio' } & StdioOptions)
  | ({ readonly type: 'http' } & HttpOptions)
  | ({ readonly type: 'sse' } & HttpOptions)

/**
 * Makes a wire to a server that lives elsewhere: for one attempt, which begins with the wire's
 * `start`. Nothing is tried again and nothing is shared; whoever opens sessions does that.
 *
 * @throws TransportError when the options cannot work.
 */
export async function connect(
  options: ServerOptions,
  environment: ConnectEnvironment = {},
): Promise<Wire> {
  // The SDK takes 150 ms to load: only who needs it pays.
  switch (options.type) {
    case 'stdio':
      return createStdioWire(options, environment)
    case 'http':
      return (await import('./http.ts')).createHttpWire(options, environment)
    case 'sse':
      return (await import('./sse.ts')).createSseWire(options, environment)
    default:
      throw unknownType(options)
  }
}

function unknownType(options: never): TypeError {
  const { type } = options as { type?: unknown }
  return new TypeError(`Unknown transport ${JSON.stringify(type)}; expected stdio, http or sse`)
}
