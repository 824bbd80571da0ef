import type { JsonObject } from '@mobius-mcp/protocol'
import type { CallHost } from './call.ts'
import type { Connection } from './connection.ts'
import { type HookCause, rootCause } from './hook-cause.ts'
import type { Passage } from './hooked-messages.ts'
import type { Root } from './root.ts'

/** What hooks on messages outside a call need. */
export type AsideHost = Pick<CallHost, 'configuration' | 'messages' | 'callerFor'>

/** Between whom such a message passes. */
export interface Aside {
  readonly root: Root
  readonly connection: Connection
  /** What led to it; by default the session itself. */
  readonly cause?: HookCause | undefined
}

/** Asks a server something for a session that is no use of it: how much to log, what to watch. Hooks see it. */
export function askAside(
  host: AsideHost,
  aside: Aside,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const { session } = aside.connection
  if (!host.configuration.hooked) return session.request(method, params)
  return host.messages.ask(passageOf(host, aside), method, params, (hooked) =>
    session.request(method, hooked),
  )
}

/** Tells a server something for a session. Hooks see it. */
export function tellAside(
  host: AsideHost,
  aside: Aside,
  method: string,
  params: JsonObject | undefined,
): void {
  const { session } = aside.connection
  if (!host.configuration.hooked) session.notify(method, params)
  else {
    host.messages.tell(passageOf(host, aside), method, params, (hooked) =>
      session.notify(method, hooked),
    )
  }
}

function passageOf({ configuration }: AsideHost, { root, connection, cause }: Aside): Passage {
  const { name: server } = connection.server
  return {
    cause: cause ?? rootCause(root, configuration),
    server,
    order: root.outbound(server),
    answers: connection.inbound,
  }
}
