import type { Fixture } from './fixture.ts'
import type { Latches } from './latches.ts'
import type { JsonObject } from './recording.ts'

/** What one conversation with the probe keeps. */
export interface ProbeSession {
  readonly fixture: Fixture
  readonly latches: Latches
  /** The fixture's tools and those that were added here. */
  readonly tools: JsonObject[]
  readonly subscriptions: Set<string>
  level: string
  /** Resolves once messages that belong to no request can reach the client. */
  readonly listening: Promise<void>
  /** Sends a notification that belongs to no request. */
  notify(method: string, params?: JsonObject): Promise<void>
}

/** One request, as a tool sees it. */
export interface ProbeRequest {
  readonly session: ProbeSession
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly signal: AbortSignal
  /** Sends a notification on this request's stream. */
  notify(method: string, params: JsonObject): Promise<void>
  /** Sends a request to the client on this request's stream. */
  ask(method: string, params: JsonObject): Promise<JsonObject>
}

/** The request `_meta` member by which a judge finds one exchange in the records of both ends. */
export const nonceKey = 'example.test/nonce'

/** A JSON-RPC error that reaches the wire with exactly these members. */
export class ProbeError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(error: { code: number; message: string; data?: unknown }) {
    super(error.message)
    this.name = 'ProbeError'
    this.code = error.code
    this.data = error.data
  }
}

/** The value if it is a JSON object, else an empty one. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {}
}
