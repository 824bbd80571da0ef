import type { MessageHandler, Origin, Principal, Session, Timeouts } from '@mobius-mcp/protocol'
import type { CallGate } from './call-gate.ts'
import type { Holds } from './holds.ts'
import type { Sharing } from './options.ts'

/** What a server needs to know to open a connection. */
export interface OpenOptions {
  /** Answers what the server asks and says. */
  readonly client: MessageHandler
  /** The root session that the connection hangs off; none for a shared one. */
  readonly parent: Session | undefined
  readonly principal: Principal
  /** Aborted when the connection is not wanted any more. */
  readonly signal: AbortSignal
}

/** A conversation with a server, before its handshake. */
export interface Opened {
  readonly session: Session
  /** Whether the server can keep something for whoever it talks to, from one request to the next. Known after the handshake. */
  keepsState(): boolean
}

/** A server by name, wherever it lives. Nothing else here knows inside from outside. */
export interface Server {
  readonly name: string
  readonly identity: string
  readonly visibility: 'published' | 'agents' | 'hooks'
  readonly sharing: Sharing
  /** It is there as soon as it is asked for: nothing to start, nothing worth remembering. */
  readonly instant: boolean
  readonly disabled: boolean
  readonly plainNames: boolean
  /** What it asks a model is for the client's own. */
  readonly asksClient: boolean
  readonly idleTimeout: number
  /** What holds back calls beyond its limit, where it has one. */
  readonly gate: CallGate | undefined
  /** The calls that are on their way to it. */
  readonly holds: Holds
  timeoutsFor(name: string): Partial<Timeouts> | undefined
  /** Makes one attempt to open a conversation; the handshake is the caller's business. */
  open(options: OpenOptions): Promise<Opened>
  /** Ends what is the server's own, beside its connections. */
  close(): Promise<void>
}

/** Some servers are there for hooks alone. */
export function mayName(origin: Origin, server: Server): boolean {
  return server.visibility !== 'hooks' || origin.kind === 'hook'
}
