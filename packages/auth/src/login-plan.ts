import type { Clock } from '@mobius-mcp/protocol'
import type { FetchLike } from '@mobius-mcp/sandbox'
import type { TokenSet, Tokens } from '@mobius-mcp/state'
import type { Callbacks } from './callbacks.ts'
import type { Authority } from './discovery.ts'
import type { RemoteServer } from './remote-server.ts'

/** What sign-ins need of the world. */
export interface LoginWorld {
  readonly tokens: Tokens
  readonly clock: Clock
  readonly callbacks: Callbacks
  /** How long somebody has to carry a sign-in out, in milliseconds. */
  readonly timeout: number
  readonly clientName: string
}

/** One sign-in, to be carried out. */
export interface LoginPlan {
  readonly server: RemoteServer
  readonly authority: Authority
  readonly scope: string | undefined
  readonly reason: string
  readonly stepUp: boolean
  readonly fetch: FetchLike
  /** Keeps what the sign-in brought. */
  onTokens(tokens: TokenSet): Promise<void>
}
