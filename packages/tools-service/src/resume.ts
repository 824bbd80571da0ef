import type { JsonObject } from '@mobius-mcp/protocol'
import { type AsideHost, askAside } from './aside.ts'
import type { Connection } from './connection.ts'
import { reasonOf } from './errors.ts'
import type { Root } from './root.ts'

/** A new connection takes over what the session had set on the one before. */
export function resume(
  host: AsideHost,
  root: Root,
  connection: Connection,
  onLog: (server: string, line: string) => void,
): void {
  const { server } = connection
  const quietly = (method: string, params: JsonObject) =>
    askAside(host, { root, connection }, method, params).catch((error: unknown) =>
      onLog(server.name, `${method} after a reconnect failed: ${reasonOf(error)}`),
    )
  if (root.level && connection.offers('logging')) {
    void quietly('logging/setLevel', connection.levelFor(root.level))
  }
  for (const uri of root.subscriptions?.get(server.name)?.keys() ?? []) {
    void quietly('resources/subscribe', { uri })
  }
}
