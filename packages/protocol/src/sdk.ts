/**
 * Between Mobius and the official SDK: its servers as ours, ours as its.
 *
 * @packageDocumentation
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Caller, CallInfo, Principal, Progress } from './call.ts'
import { localPrincipal } from './call.ts'
import { createCallId } from './call-id.ts'
import { Cancellation } from './cancellation.ts'
import { openInProcess } from './in-process.ts'
import { initialize } from './initialize.ts'
import type { JsonObject, NotificationMessage, RequestMessage } from './message.ts'
import { refusingCaller } from './refusing-caller.ts'
import { openRelay } from './relay.ts'
import type { ServerDefinition, ServerEnvironment } from './server-definition.ts'
import type { MessageContext, Session } from './session.ts'
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
      environment.closing.addEventListener('abort', () => void server.close(), { once: true })
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
  const closing = new AbortController()
  const handler = await definition.create({
    folder: environment.folder ?? '.',
    closing: environment.closing ?? closing.signal,
    callerFor: environment.callerFor ?? (() => refusingCaller),
  })
  let sdk: Server | undefined
  const session = openInProcess(handler, {
    client: { onMessage: (message) => (sdk ? sayToClient(sdk, message) : undefined) },
  })
  const peer = await initialize(session, { info: unknownClient, capabilities: {} })
  const info = peer.info as { name: string; version: string }
  sdk = new Server(info, {
    capabilities: peer.capabilities,
    ...(peer.instructions === undefined ? {} : { instructions: peer.instructions }),
  })
  connectHandlers(sdk, session)
  sdk.onclose = () => {
    closing.abort()
    void session.close()
  }
  return sdk
}

function connectHandlers(sdk: Server, session: Session): void {
  sdk.removeRequestHandler('ping')
  sdk.removeRequestHandler('logging/setLevel')
  sdk.oninitialized = () => {
    void initialize(session, {
      info: { ...(sdk.getClientVersion() ?? unknownClient) },
      capabilities: { ...sdk.getClientCapabilities() },
    })
  }
  sdk.fallbackNotificationHandler = async ({ method, params }) => session.notify(method, params)
  sdk.fallbackRequestHandler = async (request, extra) => {
    const { method, params = {} } = request as { method: string; params?: JsonObject }
    const context = new SdkContext(session, extra)
    return await session.request(method, params, {
      signal: extra.signal,
      context,
      onProgress: (progress) => context.progress(progress),
    })
  }
}

const unknownClient = { name: 'unknown', version: '0' }

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** A request that an SDK server received, as the context of ours. */
class SdkContext implements MessageContext {
  readonly session: Session
  readonly principal: Principal = localPrincipal
  readonly call: CallInfo = { id: createCallId(), origin: { kind: 'client' }, depth: 0 }
  readonly cancellation: Cancellation = new Cancellation()
  readonly caller: Caller = refusingCaller
  readonly #extra: Extra

  constructor(session: Session, extra: Extra) {
    this.session = session
    this.#extra = extra
  }

  get signal(): AbortSignal {
    return this.#extra.signal
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

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const request = { method, params } as unknown as ServerRequest
    return await this.#extra.sendRequest(request, ResultSchema)
  }
}

/** What a server says of its own accord, to the SDK's client. */
async function sayToClient(
  sdk: Server,
  message: RequestMessage | NotificationMessage,
): Promise<JsonObject | undefined> {
  const { method, params } = message
  const said = { method, params } as unknown as ServerNotification & ServerRequest
  if ('id' in message) return await sdk.request(said, ResultSchema)
  await sdk.notification(said)
  return undefined
}
