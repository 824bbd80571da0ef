import { isRequestId, type RequestId } from '@mobius-mcp/protocol'

/** Where in a session an event stands. */
export interface EventPosition {
  readonly channel: number
  readonly sequence: number
  /** What the channel answers, where the id says so. */
  readonly request?: RequestId | undefined
}

/** A longer id of a request is left out: it is the client's own, and travels in a header. */
const longest = 200

/**
 * What an event's id says of the request that its channel answers: a client that comes back with it
 * after a restart can be told what became of that, without anything having been kept.
 */
export function requestSuffix(request: RequestId): string {
  const text = encodeURIComponent(JSON.stringify(request))
  return text.length <= longest ? `-${text}` : ''
}

/** Reads an event's id, as a client shows it; `undefined` for one that was never given. */
export function parseEventId(id: string | undefined): EventPosition | undefined {
  const [, channel, sequence, request] =
    /^(\d{1,15})-(\d{1,15})(?:-(.{1,200}))?$/.exec(id ?? '') ?? []
  if (channel === undefined || sequence === undefined) return undefined
  return { channel: Number(channel), sequence: Number(sequence), request: parseRequest(request) }
}

function parseRequest(text: string | undefined): RequestId | undefined {
  if (text === undefined) return undefined
  try {
    const request: unknown = JSON.parse(decodeURIComponent(text))
    return isRequestId(request) ? request : undefined
  } catch {
    return undefined
  }
}

/** An event as it goes over the wire. */
export function toFrame(id: string | undefined, text: string): string {
  const line = id === undefined ? '' : `id: ${id}\n`
  return `event: message\n${line}data: ${text}\n\n`
}
