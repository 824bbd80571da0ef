import type { JsonObject } from '../probe/recording.ts'
import type { Tape } from './tape.ts'

/** Where a client connects. */
export type Endpoint =
  | { kind: 'http'; url: string }
  | { kind: 'stdio'; command: string; args: readonly string[]; env: Record<string, string> }

/** A way to a running probe: directly, or through what is judged. */
export interface FidelityTarget extends AsyncDisposable {
  readonly endpoint: Endpoint
  /** The `PROBE_LOG` of the probe at its far end. */
  readonly log: string
  /** Brings a killed probe back, where nothing on the way does that by itself. */
  restartProbe?(): Promise<void>
}

/** What is judged, as far as it is known before anything runs. */
export interface FidelitySubject {
  /** Whether a client talks to the probe itself, to one of several servers, or to one as if it were alone. */
  readonly kind: 'direct' | 'aggregate' | 'transparent'
  readonly upstream: 'stdio' | 'http'
  /** The `PROBE_TAG` of the probe at its far end. */
  readonly tag: string
  /** The name a client sees for a tool or a prompt of the probe. */
  publicName(name: string): string
  /** Starts what is needed; what it gives is disposed of when the judge is done. */
  open(): Promise<FidelityTarget>
}

/** What is judged at the socket, and what it promises beyond the protocol. */
export interface StreamSubject extends FidelitySubject {
  /** The longest a stream stays silent. */
  readonly keepAliveMs: number
  /** Whether an answer with nothing before it is a JSON body. */
  readonly answersJson: boolean
  /** Whether two requests of one session may be in flight under the same id. */
  readonly keepsEqualIdsApart: boolean
  /** Whether a stream may be cut when megabytes wait for a reader that does not read. */
  readonly cutsSlowReaders: boolean
}

/** What is judged by killing the server behind it. */
export interface CrashSubject extends FidelitySubject {
  /** What errors call that server. */
  readonly server: string
}

/** What a client under a judge's hand declares and answers. */
export interface ClientBehaviour {
  readonly capabilities: JsonObject
  /** Answers the server's requests by method, or throws; without it every one is refused. */
  readonly answer?: (method: string) => JsonObject
}

/** What both SDKs understand. */
export interface RequestOptions {
  signal?: AbortSignal
  onprogress?: (progress: unknown) => void
  timeout?: number
}

/** A connected client of an official SDK, with a record of what passed below it. */
export interface FidelityClient extends AsyncDisposable {
  readonly tape: Tape
  readonly capabilities: JsonObject
  /** The SDK's untyped request: the result is checked for being an object and nothing more. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<unknown>
  /** The SDK's typed `tools/call`. */
  callTool(name: string, args: JsonObject): Promise<JsonObject>
  notify(method: string, params?: JsonObject): Promise<void>
}

/** One official SDK. */
export interface Driver {
  readonly name: string
  connect(endpoint: Endpoint, behaviour: ClientBehaviour): Promise<FidelityClient>
}
