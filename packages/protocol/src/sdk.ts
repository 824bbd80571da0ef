/**
 * Between Mobius and the official SDK: its servers as ours, ours as its.
 *
 * @packageDocumentation
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import { McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Caller, CallInfo, Principal, Progress } from './call.ts'
import { localPrincipal } from './call.ts'
import { createCallId } from './call-id.ts'
import { checkClientCapability } from './client-capabilities.ts'
import { ProtocolError, toErrorObject } from './errors.ts'
import { openInProcess } from './in-process.ts'
import { initialize } from './initialize.ts'
import type { JsonObject, NotificationMessage, RequestMessage } from './message.ts'
import { noTimeouts } from './pending.ts'
import { refusingCaller } from './refusing-caller.ts'
import { openRelay } from './relay.ts'
import type { ServerDefinition, ServerEnvironment } from './server-definition.ts'
import type { CallScope, Session } from './session.ts'
import type { Wire } from './wire.ts'
import { createWirePair } from './wire-pair.ts'

/** What we need of an SDK server: v1 or v2, `McpServer` or `Server`. */
export interface SdkServer {
  connect(transport: Wire): Promise<void>
  close(): Promise<void>
}

/**
 * An official SDK server as one of ours. `create` makes a new one for each root session, because an
 * SDK server serves one client only.
 */
export function fromSdkServer(
  name: string,
  create: (environment: ServerEnvironment) => SdkServer | Promise<SdkServer>,
  options: Pick<ServerDefinition, 'visibility'> = {},
): ServerDefinition {
  return {
    name,
    visibility: options.visibility,
    instance: 'session',
    async create(environment) {
      const server = await create(environment)
      const [near, far] = createWirePair()
      await server.connect(far)
      const close = () => void server.close().catch(() => {})
      environment.closing.addEventListener('abort', close, { once: true })
      return await openRelay(near, environment.closing)
    },
  }
}

/**
 * One of our servers as an SDK `Server` (v1), ready to `connect` to any SDK transport. Closing it
 * ends the server.
 */
export async function toSdkServer(
  definition: ServerDefinition,
  environment: Partial<ServerEnvironment> = {},
): Promise<Server> {
  const end = new AbortController()
  const closing = environment.closing
    ? AbortSignal.any([environment.closing, end.signal])
    : end.signal
  const handler = await definition.create({
    folder: environment.folder ?? '.',
    closing,
    callerFor: environment.callerFor ?? (() => refusingCaller),
  })
  let sdk: Server | undefined
  const session = openInProcess(handler, {
    client: { onMessage: (message) => (sdk ? sayToClient(sdk, message) : undefined) },
    timeouts: noTimeouts,
  })
  const peer = await initialize(session, { info: unknownClient, capabilities: {} })
  const info = peer.info as { name: string; version: string }
  sdk = new Server(info, {
    capabilities: peer.capabilities,
    ...(peer.instructions === undefined ? {} : { instructions: peer.instructions }),
  })
  connectHandlers(sdk, session)
  sdk.onclose = () => {
    end.abort()
    void session.close()
  }
  return sdk
}

function connectHandlers(sdk: Server, session: Session): void {
  // The server keeps the level itself.
  sdk.removeRequestHandler('logging/setLevel')
  sdk.oninitialized = () => {
    const info = { ...(sdk.getClientVersion() ?? unknownClient) }
    const capabilities = { ...sdk.getClientCapabilities() }
    initialize(session, { info, capabilities }).catch((error: Error) => sdk.onerror?.(error))
  }
  sdk.fallbackNotificationHandler = async ({ method, params }) => session.notify(method, params)
  sdk.fallbackRequestHandler = async (request, extra) => {
    const { method, params = {} } = request as { method: string; params?: JsonObject }
    const scope = new SdkScope(sdk, extra)
    try {
      return await session.request(method, params, {
        signal: extra.signal,
        scope,
        onProgress: (progress) => scope.progress(progress),
      })
    } catch (error) {
      // The SDK answers with an error's own `code`, where it is a number.
      const { message, ...rest } = toErrorObject(error)
      throw Object.assign(new Error(message), rest)
    }
  }
}

/** The SDK would give up after a minute; a person may take all day. `Infinity` overflows its timer. */
const patient = { timeout: 2 ** 31 - 1 }

const unknownClient = { name: 'unknown', version: '0' }

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** A request that an SDK server received, as a call of ours. */
class SdkScope implements CallScope {
  readonly principal: Principal = localPrincipal
  readonly call: CallInfo = { id: createCallId(), origin: { kind: 'client' }, depth: 0 }
  readonly #sdk: Server
  readonly #extra: Extra

  constructor(sdk: Server, extra: Extra) {
    this.#sdk = sdk
    this.#extra = extra
  }

  callerFor(): Caller {
    return refusingCaller
  }

  progress(progress: Progress): void {
    const progressToken = this.#extra._meta?.progressToken
    if (progressToken === undefined) return
    this.notify('notifications/progress', { ...progress, progressToken })
  }

  notify(method: string, params?: JsonObject): void {
    // The SDK's types know MCP's own notifications only; its transport carries any.
    const notification = { method, params } as unknown as ServerNotification
    this.#extra.sendNotification(notification).catch(() => {})
  }

  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const capabilities = { ...this.#sdk.getClientCapabilities() }
    checkClientCapability(method, params, { protocolVersion: '', capabilities, info: {} })
    const request = { method, params } as unknown as ServerRequest
    return await untilAborted([this.#extra.signal, signal], (either) =>
      this.#extra.sendRequest(request, ResultSchema, { ...patient, signal: either }),
    )
  }
}

/**
 * Gives one request a signal of its own. The SDK leaves its listener on the signal, and would cancel
 * a request that was answered long ago.
 */
async function untilAborted<T>(
  signals: readonly (AbortSignal | undefined)[],
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort(signals.find((signal) => signal?.aborted)?.reason)
  for (const signal of signals) signal?.addEventListener('abort', abort)
  try {
    if (signals.some((signal) => signal?.aborted)) abort()
    return await request(controller.signal)
  } catch (error) {
    throw fromSdkError(error)
  } finally {
    for (const signal of signals) signal?.removeEventListener('abort', abort)
  }
}

/** What the SDK's client answered, without the prefix that the SDK puts before its message. */
function fromSdkError(error: unknown): unknown {
  if (!(error instanceof McpError)) return error
  const { code, data } = error
  const prefix = `MCP error ${code}: `
  const message = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message
  return new ProtocolError({ code, message, data })
}

/** What a server says of its own accord, to the SDK's client. */
async function sayToClient(
  sdk: Server,
  message: RequestMessage | NotificationMessage,
): Promise<JsonObject | undefined> {
  const { method, params } = message
  const said = { method, params } as unknown as ServerNotification & ServerRequest
  if (!('id' in message)) {
    await sdk.notification(said)
    return undefined
  }
  try {
    return await sdk.request(said, ResultSchema, patient)
  } catch (error) {
    throw fromSdkError(error)
  }
}
