import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  ListRootsResult,
  LoggingLevel,
} from '@modelcontextprotocol/sdk/types.js'
import type { Caller, CallInfo, Principal, Progress } from '../call.ts'
import { ProtocolError } from '../errors.ts'
import type { JsonObject } from '../message.ts'
import { isObject } from '../parse-message.ts'
import type { MessageContext, Session } from '../session.ts'

/** From least to most severe. RFC 5424, as MCP uses it. */
export const loggingLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/**
 * How severe a level is, 0 for `debug`.
 *
 * @throws ProtocolError `INVALID_PARAMS`, naming the levels there are.
 */
export function parseLoggingLevel(level: unknown): number {
  const severity = loggingLevels.indexOf(level as LoggingLevel)
  if (severity >= 0) return severity
  throw new ProtocolError(
    'INVALID_PARAMS',
    `Invalid params: "level" must be one of ${loggingLevels.join(', ')}, received ${JSON.stringify(level) ?? 'nothing'}`,
  )
}

/** What an author's function gets beside its arguments. */
export class ToolContext {
  readonly #message: MessageContext
  readonly #params: JsonObject
  readonly #minimumLevel: number

  constructor(message: MessageContext, params: JsonObject, minimumLevel: number) {
    this.#message = message
    this.#params = params
    this.#minimumLevel = minimumLevel
  }

  /** Aborted when the caller takes the call back. */
  get signal(): AbortSignal {
    return this.#message.signal
  }

  get session(): Session {
    return this.#message.session
  }

  get principal(): Principal {
    return this.#message.principal
  }

  get call(): CallInfo {
    return this.#message.call
  }

  /** Uses other servers; what it calls is a child of this call. */
  get caller(): Caller {
    return this.#message.caller
  }

  /** The `_meta` that came with the request. */
  get meta(): JsonObject {
    const meta = this.#params._meta
    return isObject(meta) ? meta : {}
  }

  /** Reports progress, if the caller asked for any. */
  progress(progress: Progress): void {
    this.#message.progress(progress)
  }

  /** Sends a log line to the client, unless it set a higher level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (loggingLevels.indexOf(level) < this.#minimumLevel) return
    const params = logger === undefined ? { level, data } : { level, logger, data }
    this.#message.notify('notifications/message', params)
  }

  /** Asks the person. Rejects where the client did not declare that it can. */
  async elicit(params: ElicitRequestParams): Promise<ElicitResult> {
    return (await this.#message.ask('elicitation/create', { ...params })) as ElicitResult
  }

  /** Asks the client's model. Rejects where the client did not declare that it has one. */
  async sample(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return (await this.#message.ask('sampling/createMessage', { ...params })) as CreateMessageResult
  }

  /** The client's roots. Rejects where the client did not declare any. */
  async listRoots(): Promise<ListRootsResult> {
    return (await this.#message.ask('roots/list', {})) as ListRootsResult
  }
}
