import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'

/** A JSON object as it came off the wire. */
export interface JsonObject {
  [member: string]: unknown
}

/** One message as one end of a conversation saw it. */
export interface Recorded {
  /** The process that recorded it. */
  pid: number
  /** The conversation within that process. */
  session: string
  /** Seen from the end that recorded it. */
  direction: 'in' | 'out'
  message: JsonObject
}

/** What a recorder needs of a transport of either SDK line. */
export interface Recordable<Message, Options> {
  onmessage?: ((message: Message) => void) | undefined
  send(message: Message, options?: Options): Promise<void>
}

const LONGEST_KEPT = 512

/**
 * A copy of a JSON value in which long strings are replaced by their length and hash, so that megabytes
 * can be compared, and shown, in a line. Own `__proto__` members stay own members.
 */
export function toRecordable(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > LONGEST_KEPT ? `${value.length} characters, ${digest(value)}` : value
  }
  if (Array.isArray(value)) {
    return value.map(toRecordable)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [key, toRecordable(member)]),
    )
  }
  return value
}

/** Tells `record` every message that a transport receives and sends, before anyone else sees it. */
export function recordTransport<Message, Options>(
  transport: Recordable<Message, Options>,
  record: (direction: Recorded['direction'], message: JsonObject) => void,
): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    record('out', toRecordable(message) as JsonObject)
    return send(message, options)
  }
  // Both SDK lines call a handler that was there before theirs, first.
  transport.onmessage = (message) => record('in', toRecordable(message) as JsonObject)
}

/** Appends each record to a file as one line of JSON; several processes may share the file. */
export function openRecordFile(path: string): (record: Recorded) => void {
  const file = openSync(path, 'a')
  return (record) => {
    writeSync(file, `${JSON.stringify(record)}\n`)
  }
}

function digest(text: string): string {
  // UTF-16 tells lone surrogates apart, which UTF-8 would all turn into U+FFFD.
  return `sha256 ${createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex')}`
}
