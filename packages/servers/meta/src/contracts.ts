import type { Clock } from '@mobius-mcp/protocol'

/** What goes on with one server, as the host knows it. */
export interface ServerReport {
  readonly name: string
  readonly kind: 'built-in' | 'external'
  readonly state: string
  readonly reason?: string | undefined
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly sharing: string
  readonly connections: number
  readonly restarts: number
  readonly calls: number
  readonly errors: number
  readonly offers: {
    readonly tools?: number | undefined
    readonly prompts?: number | undefined
    readonly resources?: number | undefined
    readonly resourceTemplates?: number | undefined
  }
}

/** One call that has ended. */
export interface CallReport {
  readonly id: string
  readonly parent?: string | undefined
  readonly principal: string
  /** Who vouches for the principal. */
  readonly issuer?: string | undefined
  readonly server: string
  readonly method: string
  readonly name: string
  readonly startedAt: number
  readonly milliseconds: number
  readonly outcome: string
  readonly error?: { readonly code: number; readonly message: string } | undefined
}

/** What the meta server shows; a tools service has both. */
export interface MetaDependencies {
  readonly version: string
  /** Every server and its state. */
  servers(): readonly ServerReport[]
  /** Calls back with a server's name when its state changes, with an empty one when the list does; returns its own undo. */
  watchServers(listener: (server: string) => void): () => void
  /** The last calls, oldest first. */
  readonly recent: {
    list(): readonly CallReport[]
    watch(listener: (call: CallReport) => void): () => void
  }
  /** Paces what is told; by default the machine's. */
  readonly clock?: Clock | undefined
}
