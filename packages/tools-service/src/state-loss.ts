import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'

/** Where a result says that its server has lost what it had kept for the session, and why. */
const lossKey = 'mobius-mcp.dev/state-lost'

/**
 * The first result of a tool after a connection was lost and made again says so: what its server
 * had kept for the session is gone, and whoever goes on as if it were there would wonder.
 */
export function tellLoss(call: Call, connection: Connection, result: JsonObject): JsonObject {
  if (call.method !== 'tools/call') return result
  const reason = connection.takeLoss(call.root)
  if (reason === undefined) return result
  const { server } = call
  const meta = isObject(result._meta) ? result._meta : undefined
  const told: JsonObject = { ...result, _meta: { ...meta, [lossKey]: { server, reason } } }
  // Models and most people see nothing else. What reads the first part of a content still does.
  if (Array.isArray(result.content))
    told.content = [...result.content, { type: 'text', text: sentence(server, reason) }]
  return told
}

function sentence(server: string, reason: string): string {
  return `The connection to the server "${server}" was lost and made again (${reason}). What the server may have kept for this session in memory is gone.`
}
