import type { Message, RequestId } from './message.ts'

/** What goes with a message onto a wire. */
export interface WireSendOptions {
  /** The incoming request that the message belongs to, for wires with a stream per request. */
  relatedRequestId?: RequestId | undefined
  resumptionToken?: string | undefined
}

/**
 * Two ends that carry messages. Structurally the official SDKs' `Transport`, v1 and v2: any of
 * theirs is a wire, and a wire serves their `Client` and `Server`.
 */
export interface Wire {
  /** Begins to carry messages; call it after the callbacks are set. */
  start(): Promise<void>
  send(message: Message, options?: WireSendOptions): Promise<void>
  /** Ends it; `onclose` follows. May be called again. */
  close(): Promise<void>
  onclose?: (() => void) | undefined
  /** Why it ended, once it has; not a sentence: it follows "connection closed: ". */
  readonly closeReason?: string | undefined
  /** Something odd that the wire survives. */
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: Message, extra?: object) => void) | undefined
  /**
   * What the other end knows the conversation by. A wire that has this member and leaves it
   * `undefined` after the handshake talks to somebody who keeps nothing from one request to the next.
   */
  sessionId?: string | undefined
  setProtocolVersion?: ((version: string) => void) | undefined
}

/** What a wire of ours tells about an incoming message, in `onmessage`'s second argument. */
export interface MessageExtra {
  /** Our own request whose stream carried the message, where the wire knows it. */
  relatedRequestId?: RequestId | undefined
  /** The wire itself made this error answer: the other end never gave one. */
  failure?: boolean | undefined
}
