import type {
  Actor,
  Caller,
  MessageContext,
  MessageHandler,
  ServerDefinition,
} from '@mobius-mcp/protocol'
import type { Snapshot, ViewSource } from './options.ts'
import type { RecentCalls } from './recent-calls.ts'
import type { ServerState } from './server-state.ts'

/** The one Call, and what stands around it. */
export interface ToolsService extends Caller {
  /** Adds a server of this process. It is not built until first used. */
  addServer(definition: ServerDefinition): void
  /** Takes a new configuration: what did not change is left alone, what changed drains and is replaced. */
  apply(snapshot: Snapshot): void
  /** Serves what a view lets through, one for all or one for each, under names of one space, to any number of clients. */
  publish(view: ViewSource): MessageHandler
  /**
   * Serves one server with its own names untouched; `undefined` where there is none to publish. With
   * a view, only what that lets through of it.
   */
  publishServer(name: string, view?: ViewSource): MessageHandler | undefined
  /** A `Caller` for work that no message started, or whose place in the tree of calls is that of a context. */
  callerFor(subject: Actor | MessageContext): Caller
  /** Every server and what goes on with it. */
  states(): ServerState[]
  /** Tells when a server's state has changed, until the returned function is called. */
  watchStates(listener: (server: string) => void): () => void
  /** The last calls. */
  readonly recent: RecentCalls
  /**
   * Forgets what went wrong with a server, or that somebody has to sign in: the next use tries it at
   * once. False where there is no such server.
   */
  retry(server: string): boolean
  /** Tries to start every server, and resolves when each has succeeded or failed. */
  probe(): Promise<void>
  /** Ends every connection and every server. */
  close(): Promise<void>
}
