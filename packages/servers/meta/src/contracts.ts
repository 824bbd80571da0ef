import type { CallInfo, Clock, JsonObject, Principal } from '@mobius-mcp/protocol'
import type { Chats } from './chat-contracts.ts'

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
  readonly inFlight: number
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

/** A call that waits until somebody approves or denies it. */
export interface QuestionReport {
  readonly id: string
  /** The id of the call that waits. */
  readonly call: string
  /** Who made the call. */
  readonly principal: string
  readonly issuer?: string | undefined
  /** The agent, hook or other that acts for the principal; `client` where it calls itself. */
  readonly origin: string
  /** The conversation that the call was made in, where it was in one. */
  readonly thread?: string | undefined
  readonly server: string
  readonly method: string
  readonly name: string
  readonly arguments?: JsonObject | undefined
  /** The rule that asks. */
  readonly rule?: string | undefined
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** When it counts as denied. */
  readonly until: number
}

/** What was changed by an operator's doing. */
export interface ChangeReport {
  /** One line for each thing that is different now; none where all is as before. */
  readonly changes: readonly string[]
}

/**
 * What only an operator may do. What the functions throw is shown to whoever asked, so it says what
 * to do and holds no secret.
 */
export interface Operations {
  /** Throws unless an operator asks, and nothing that acts by itself stands in between. */
  require(context: { readonly principal: Principal; readonly call: CallInfo }, what: string): void
  questions(): readonly QuestionReport[]
  /** Calls back whenever a question is asked or closed; returns its own undo. */
  watchQuestions(listener: () => void): () => void
  /** False where no such question is open. */
  answer(id: string, approved: boolean, by: Principal, reason?: string): boolean
  /** Reads the configuration again. */
  reload(): Promise<ChangeReport>
  addServer(name: string, entry: JsonObject): Promise<ChangeReport>
  removeServer(name: string): Promise<ChangeReport>
}

/** What the meta server shows; a tools service has the first three. */
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
  /** Without it nothing can be changed from here. */
  readonly operations?: Operations | undefined
  /** Without it there is nobody to chat with. */
  readonly chats?: Chats | undefined
  /** Paces what is told; by default the machine's. */
  readonly clock?: Clock | undefined
}
