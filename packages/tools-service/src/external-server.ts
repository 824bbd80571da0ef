import { type Clock, openSession, type Timeouts } from '@mobius-mcp/protocol'
import { CallGate } from './call-gate.ts'
import { Holds } from './holds.ts'
import type { Connect, ExternalServer } from './options.ts'
import type { Opened, OpenOptions, Server } from './server.ts'

export interface ExternalOptions {
  readonly connect: Connect
  readonly clock: Clock
  readonly timeouts: Partial<Timeouts> | undefined
  onLog(line: string): void
}

const defaultIdleTimeout = 30 * 60_000

/** A server that lives elsewhere, reached by the injected `connect`. */
export function createExternalServer(config: ExternalServer, options: ExternalOptions): Server {
  const timeouts = { ...options.timeouts, ...config.timeouts }
  const tools = new Map(
    Object.entries(config.toolTimeouts ?? {}).map(([tool, own]) => [tool, { ...timeouts, ...own }]),
  )
  return {
    name: config.name,
    identity: config.identity,
    visibility: 'published',
    sharing: config.sharing ?? 'session',
    instant: false,
    disabled: config.disabled ?? false,
    plainNames: config.plainNames ?? false,
    asksClient: false,
    idleTimeout: config.idleTimeout ?? defaultIdleTimeout,
    gate: createGate(config, options.clock),
    holds: new Holds(),
    timeoutsFor: (name) => tools.get(name) ?? timeouts,
    async open({ client, parent, principal, signal }: OpenOptions): Promise<Opened> {
      const { onLog } = options
      const wire = await options.connect(config, { principal, signal, log: onLog })
      const session = await openSession(wire, client, {
        kind: 'upstream',
        parent,
        principal,
        clock: options.clock,
        timeouts,
        onError: (error) => onLog(error.message),
      })
      const isStateless = () => 'sessionId' in wire && wire.sessionId === undefined
      return { session, keepsState: () => !isStateless() }
    },
    async close() {},
  }
}

function createGate(
  { name: server, maxInFlight: limit }: ExternalServer,
  clock: Clock,
): CallGate | undefined {
  if (limit === undefined) return undefined
  if (limit >= 1) return new CallGate({ server, limit, clock })
  throw new TypeError(`Server "${server}": maxInFlight must be 1 or more, received ${limit}`)
}
