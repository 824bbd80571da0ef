import {
  type Clock,
  createWirePair,
  type JsonObject,
  type Message,
  type MessageContext,
  type MessageHandler,
  openSession,
  ProtocolError,
  type RequestId,
  refusingCaller,
  type ServerDefinition,
  type Session,
  type Wire,
} from '@mobius-mcp/protocol'
import type { ConnectEnvironment, ExternalServer } from '../../src/index.ts'

/** Puts a server at the far end of a wire: ours, or the SDK's, which has its own `connect`. */
export type Serve = (wire: Wire, clock: Clock) => unknown

/** A server outside, and what the gateway did with it. */
export class Upstream {
  /** How often the gateway tried to reach it. */
  attempts = 0
  /** What the gateway sent, over all connections. */
  readonly sent: Message[] = []
  /** The far ends, newest last. */
  readonly wires: Wire[] = []
  readonly environments: ConnectEnvironment[] = []
  /** Set to make the next attempts fail. */
  failure: Error | undefined = undefined
  /** Set to make the next attempts wait for ever. */
  stuck = false
  /** The gateway's ends, newest last. */
  readonly near: Wire[] = []
  readonly #serve: Serve

  constructor(serve: Serve) {
    this.#serve = serve
  }

  /** Connections that have not ended. */
  get open(): number {
    return this.wires.length
  }

  async connect(environment: ConnectEnvironment, clock: Clock): Promise<Wire> {
    this.attempts += 1
    this.environments.push(environment)
    if (this.failure) throw this.failure
    if (this.stuck) return await new Promise<Wire>(() => {})
    const [near, far] = createWirePair()
    const send = near.send.bind(near)
    near.send = (message, options) => {
      this.sent.push(message)
      return send(message, options)
    }
    const close = near.close.bind(near)
    near.close = async () => {
      this.#forget(near, far)
      await close()
    }
    this.near.push(near)
    this.wires.push(far)
    await this.#serve(far, clock)
    return near
  }

  /** Ends the newest connection, or the given one, as a process that dies does. */
  async crash(
    reason = 'exited with code 1',
    far: Wire | undefined = this.wires.at(-1),
  ): Promise<void> {
    const near = far && this.near[this.wires.indexOf(far)]
    if (!far || !near) throw new Error('There is no connection to end')
    Object.assign(near, { closeReason: reason })
    this.#forget(near, far)
    await far.close()
  }

  /** Says something over the newest connection, as the server would. */
  async say(message: object, relatedRequestId?: RequestId): Promise<void> {
    const wire = this.wires.at(-1)
    if (!wire) throw new Error('There is no connection to speak on')
    await wire.send({ jsonrpc: '2.0', ...message } as Message, { relatedRequestId })
  }

  /** The params of every request or notification of this method that reached it. */
  received(method: string): JsonObject[] {
    return this.sent.flatMap((message) =>
      'method' in message && message.method === method ? [message.params ?? {}] : [],
    )
  }

  #forget(near: Wire, far: Wire): void {
    if (!this.near.includes(near)) return
    this.near.splice(this.near.indexOf(near), 1)
    this.wires.splice(this.wires.indexOf(far), 1)
  }
}

/** A server outside that is one of our definitions, or any handler. */
export function serveUpstream(server: ServerDefinition | MessageHandler): Upstream {
  return new Upstream((wire, clock) => serve(server, wire, clock))
}

async function serve(
  server: ServerDefinition | MessageHandler,
  wire: Wire,
  clock: Clock,
): Promise<Session> {
  const closing = new AbortController()
  const handler =
    'create' in server
      ? await server.create({
          folder: '.',
          closing: closing.signal,
          callerFor: () => refusingCaller,
        })
      : server
  const session = await openSession(wire, handler, { kind: 'client', clock })
  session.ending.listen({ onCancel: (reason) => closing.abort(reason) })
  return session
}

/** Answers one method. */
export type Answer = (params: JsonObject, context: MessageContext) => unknown

/** A handler of nothing but these methods; `initialize` is answered, with what they stand for, unless it is among them. */
export function answer(methods: Readonly<Record<string, Answer>>): MessageHandler {
  return {
    onMessage({ method, params = {}, ...rest }, context) {
      if (Object.hasOwn(methods, method)) return methods[method]?.(params, context)
      if (!('id' in rest)) return undefined
      if (method === 'initialize') return greet(params, Object.keys(methods))
      throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${method}`)
    },
  }
}

/** What `initialize` answers for a server with these methods. */
export function greet(params: JsonObject, methods: readonly string[]): JsonObject {
  const capabilities: JsonObject = {}
  for (const method of methods) {
    const [feature = ''] = method.split('/')
    if (['tools', 'prompts', 'resources'].includes(feature)) {
      capabilities[feature] = { listChanged: true }
    }
    if (feature === 'logging') capabilities.logging = {}
  }
  return {
    protocolVersion: params.protocolVersion,
    capabilities,
    serverInfo: { name: 'upstream', version: '1' },
  }
}

/** A handler with these tools, each answered by its function. */
export function answerTools(
  tools: Readonly<Record<string, Answer>>,
  more: Readonly<Record<string, Answer>> = {},
): MessageHandler {
  const { initialize, ...methods } = more
  const all = {
    'tools/list': () => ({ tools: Object.keys(tools).map(describeTool) }),
    'tools/call': (params: JsonObject, context: MessageContext) => {
      const run = tools[String(params.name)]
      if (run) return run(params, context)
      throw new ProtocolError('INVALID_PARAMS', `Unknown tool: ${String(params.name)}`)
    },
    ...methods,
  }
  return answer(initialize ? { ...all, initialize } : all)
}

export function describeTool(name: string): JsonObject {
  return { name, inputSchema: { type: 'object' } }
}

/** A result with one text. */
export function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] }
}

/** As it stands in a configuration. */
export function configure(
  name: string,
  upstream: Upstream,
  more: Partial<ExternalServer> = {},
): ExternalServer {
  return { name, identity: name, connection: upstream, ...more }
}
