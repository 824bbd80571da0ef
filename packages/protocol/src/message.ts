/** A JSON object whose members are not known beforehand. */
export interface JsonObject {
  [member: string]: unknown
}

/** A JSON-RPC id: `1` and `"1"` are two different ids. Integers only; never `null`. */
export type RequestId = string | number

/** A request: it expects one response with the same id. JSON-RPC 2.0, section 4. */
export interface RequestMessage {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: JsonObject | undefined
}

/** A notification: a request without id, never answered. */
export interface NotificationMessage {
  jsonrpc: '2.0'
  method: string
  params?: JsonObject | undefined
}

/** What went wrong, as it stands in an error response. */
export interface ErrorObject {
  code: number
  message: string
  data?: unknown
}

/** A response that succeeded. */
export interface ResultMessage {
  jsonrpc: '2.0'
  id: RequestId
  result: JsonObject
}

/** A response that failed. The id is missing only where the request could not be read. */
export interface ErrorMessage {
  jsonrpc: '2.0'
  id?: RequestId | undefined
  error: ErrorObject
}

export type ResponseMessage = ResultMessage | ErrorMessage

/** Any JSON-RPC 2.0 message, in the neutral dialect. Never changed once sent. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage

/** True for a message that must be answered. */
export function isRequest(message: Message): message is RequestMessage {
  return 'method' in message && 'id' in message
}

/** True for a message that is never answered. */
export function isNotification(message: Message): message is NotificationMessage {
  return 'method' in message && !('id' in message)
}

/** True for an answer, good or bad. */
export function isResponse(message: Message): message is ResponseMessage {
  return !('method' in message)
}
