import { legacyVersions, type Message, type Principal } from '@mobius-mcp/protocol'
import type { IncomingRequest } from './http-request.ts'
import { memoize } from './memoize.ts'
import { refuse } from './refusals.ts'
import type { Reply } from './reply.ts'

/** One HTTP exchange at an MCP endpoint: guarded, signed in, its body read. */
export interface Exchange {
  readonly request: IncomingRequest
  readonly principal: Principal
  /** What was posted; `undefined` for GET and DELETE. */
  readonly message: Message | undefined
}

/** Answers the exchanges of one era. What an edge knows of its era is known nowhere else. */
export type Edge = (exchange: Exchange) => Reply | Promise<Reply>

/** With a handshake and sessions, or stateless. */
export type Era = 'legacy' | 'modern'

export type Edges = Readonly<Record<Era, Edge>>

/** The first revision without a handshake. */
const firstModern = '2026-07-28'
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/**
 * Which era a request speaks. Each request is judged by itself, before anything is known of a
 * session: connections mix eras. MCP 2026-07-28, versioning.
 */
export function eraOf({ request, message }: Exchange): Era {
  if (message && statedVersion(message) !== undefined) return 'modern'
  const version = request.protocolVersion
  return version !== undefined && isModern(version) ? 'modern' : 'legacy'
}

/** Stands where the modern era will be served: says which revisions are. */
export const refuseModern: Edge = ({ request, message }) => {
  const stated = message && statedVersion(message)
  const requested = stated ?? request.protocolVersion ?? firstModern
  return refuseVersion(requested, message)
}

/** Says that a revision is not spoken here, and which ones are. */
export function refuseVersion(requested: unknown, message: Message | undefined): Response {
  const supported = [...legacyVersions]
  return refuse(
    'UNSUPPORTED_VERSION',
    `MCP revision ${String(requested)} is not spoken here. Supported: ${supported.join(', ')}. Begin with "initialize".`,
    {
      id: message && 'method' in message && 'id' in message ? message.id : undefined,
      data: { supported, requested },
    },
  )
}

/** The revision that a message names for itself, as only modern ones do. */
function statedVersion(message: Message): unknown {
  if (!('params' in message)) return undefined
  const meta = message.params?._meta as Record<string, unknown> | null | undefined
  return meta?.[versionKey]
}

const isModern = memoize((version) => /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= firstModern)
