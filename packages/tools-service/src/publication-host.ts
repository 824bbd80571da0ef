import type { Clock, JsonObject, MessageContext } from '@mobius-mcp/protocol'
import type { CallerHost } from './bound-caller.ts'
import type { Connection } from './connection.ts'
import type { Lists } from './lists.ts'
import type { OpenFor } from './pool.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

/** What publications need of the service. */
export interface PublicationHost extends CallerHost {
  readonly lists: Lists
  readonly clock: Clock
  readonly info: JsonObject
  readonly listTimeout: number
  /** Grows whenever servers come or go. */
  readonly generation: number
  /** The session has seen a list: it is told when servers come or go. */
  follow(root: Root): void
  servers(): readonly Server[]
  server(name: string): Server | undefined
  rootFor(context: MessageContext): Root
  open(root: Root, server: Server, options?: OpenFor): Promise<Connection>
  /** Milliseconds until a server that failed may be started again; for ever where that depends on somebody. */
  retryDelay(server: string): number
  onLog(server: string, line: string): void
}
