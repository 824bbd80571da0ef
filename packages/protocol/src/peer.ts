import type { JsonObject } from './message.ts'
import { isObject } from './parse-message.ts'
import type { Peer } from './session.ts'

/** Who a client says it is: the params of its `initialize`. */
export function peerFromInitialize(params: JsonObject | undefined): Peer {
  const { protocolVersion, capabilities, clientInfo } = params ?? {}
  return {
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '',
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isObject(clientInfo) ? clientInfo : {},
  }
}

/** Who a server says it is: the result of `initialize`. */
export function peerFromResult(result: JsonObject): Peer {
  const { protocolVersion, capabilities, serverInfo, instructions } = result
  return {
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '',
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isObject(serverInfo) ? serverInfo : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    result,
  }
}
