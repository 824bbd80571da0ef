import { ProtocolError } from './errors.ts'
import type { JsonObject } from './message.ts'
import { isObject } from './parse-message.ts'
import type { Peer } from './session.ts'

const capabilityOf = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
])

/**
 * Refuses a server's request that the client did not say it can answer, as the client itself would,
 * but at once. MCP 2025-11-25, capability negotiation.
 *
 * @throws ProtocolError `METHOD_NOT_FOUND`, naming the capability.
 */
export function checkClientCapability(
  method: string,
  params: JsonObject,
  peer: Peer | undefined,
): void {
  const name = capabilityOf.get(method)
  if (!name) return
  const declared = peer?.capabilities[name]
  if (!isObject(declared)) throw missing(method, name)
  if (name !== 'elicitation') return
  const mode = params.mode === 'url' ? 'url' : 'form'
  // Before there were modes, `{}` meant form.
  if (!(mode in declared) && (mode === 'url' || 'url' in declared))
    throw missing(method, `elicitation.${mode}`)
}

function missing(method: string, capability: string): ProtocolError {
  return new ProtocolError(
    'METHOD_NOT_FOUND',
    `Method not found: ${method}. The client did not declare the capability "${capability}".`,
  )
}
