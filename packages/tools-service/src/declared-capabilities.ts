import { isObject, type JsonObject, type Session } from '@mobius-mcp/protocol'

const none: JsonObject = {}
/** The same object for the same capabilities: whoever keeps something by them compares no texts. */
const sampling = new WeakMap<JsonObject, JsonObject>()

/** What a server of one root session is told that it may ask: what the client can do, and a model where we answer for it. */
export function declaredCapabilities(root: Session, samples: boolean): JsonObject {
  const capabilities = root.peer?.capabilities
  const own = isObject(capabilities) ? capabilities : none
  if (!samples) return own
  let declared = sampling.get(own)
  if (!declared) {
    declared = { ...own, sampling: {} }
    sampling.set(own, declared)
  }
  return declared
}
