import {
  type CallResult,
  createWirePair,
  initialize,
  isProtocolError,
  type JsonObject,
  type ListKind,
  listMethods,
  type Message,
  type MessageExtra,
  type MessageHandler,
  openSession,
  type Principal,
  type RequestId,
  type ServerDefinition,
  type Session,
  type SessionMemory,
  type Wire,
} from '@mobius-mcp/protocol'
import { createTestClock, type TestClock } from '@mobius-mcp/testing/test-clock.ts'
import {
  type CallEvent,
  createToolsService,
  type ExternalServer,
  type ToolsService,
  type ToolsServiceOptions,
  type View,
} from '../../src/index.ts'
import { settle } from './settle.ts'
import { type Answer, answer, configure, Upstream } from './upstream.ts'

export interface GatewayOptions extends Omit<ToolsServiceOptions, 'connect' | 'clock'> {
  /** Servers outside; with a pair, more of their configuration. */
  upstreams?: Readonly<Record<string, Upstream | readonly [Upstream, Partial<ExternalServer>]>>
  builtIns?: readonly ServerDefinition[]
  /** What clients see; everything by default. */
  view?: View
}

export interface ClientOptions {
  /** What it talks to; everything that is published by default. */
  to?: MessageHandler | undefined
  name?: string
  /** Answers what it is asked, by method. */
  answers?: Readonly<Record<string, Answer>>
  /** By default what its answers stand for. */
  capabilities?: JsonObject
  principal?: Principal
  /** What its session remembers, in this gateway and the next. */
  memory?: SessionMemory
}

/** A service under test, with everything around it in sight. */
export interface Gateway extends AsyncDisposable {
  readonly service: ToolsService
  readonly clock: TestClock
  readonly events: CallEvent[]
  readonly logs: string[]
  readonly published: MessageHandler
  client(options?: ClientOptions): Promise<TestClient>
  /** Lets so many milliseconds pass while something is under way. */
  during<T>(milliseconds: number, work: Promise<T>): Promise<T>
}

export function createGateway(options: GatewayOptions = {}): Gateway {
  const { upstreams = {}, builtIns = [], view = { refs: ['*'] }, ...rest } = options
  const clock = createTestClock(1)
  const events: CallEvent[] = []
  const logs: string[] = []
  const service = createToolsService({
    crossing: 'frozen',
    observe: (event) => events.push(event),
    onLog: (server, line) => logs.push(`${server}: ${line}`),
    ...rest,
    clock,
    connect: (server, environment) => (server.connection as Upstream).connect(environment, clock),
  })
  for (const definition of builtIns) service.addServer(definition)
  service.apply({
    servers: Object.entries(upstreams).map(([name, each]) =>
      each instanceof Upstream ? configure(name, each) : configure(name, each[0], each[1]),
    ),
  })
  const published = service.publish(view)
  return {
    service,
    clock,
    events,
    logs,
    published,
    client: (client = {}) => openClient(clock, client.to ?? published, client),
    async during(milliseconds, work) {
      await Promise.all([
        Promise.allSettled([work]),
        settle().then(() => clock.advance(milliseconds)),
      ])
      return await work
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** A client of the gateway, and what it was told. */
export class TestClient implements AsyncDisposable {
  readonly session: Session
  /** The gateway's end of the conversation. */
  readonly host: Session
  /** Every message from the gateway, as it stood on the wire. */
  readonly messages: Message[] = []
  /** The request of ours on whose stream each of them came. */
  readonly related: (RequestId | undefined)[] = []

  readonly #wire: Wire

  constructor(session: Session, host: Session, wire: Wire) {
    this.session = session
    this.host = host
    this.#wire = wire
  }

  /** Sends a message as it is, which the session at this end knows nothing of. */
  raw(message: object): void {
    void this.#wire.send({ jsonrpc: '2.0', ...message } as Message)
  }

  call(name: string, args: JsonObject = {}): Promise<CallResult> {
    return this.session.request('tools/call', { name, arguments: args }) as Promise<CallResult>
  }

  /** The first text of a call's result, or its error. */
  async text(name: string, args: JsonObject = {}): Promise<string> {
    try {
      const { content, isError } = await this.call(name, args)
      return `${isError === true ? 'failed: ' : ''}${String(content[0]?.text)}`
    } catch (error) {
      return errorText(error)
    }
  }

  /** The names on a list, all pages of it. */
  async names(kind: ListKind = 'tools'): Promise<string[]> {
    return (await this.list(kind)).map((item) => String(item[listMethods[kind].name]))
  }

  async list(kind: ListKind): Promise<JsonObject[]> {
    const { method, member } = listMethods[kind]
    const items: JsonObject[] = []
    let cursor: unknown
    do {
      const result = await this.session.request(method, cursor === undefined ? {} : { cursor })
      items.push(...(result[member] as JsonObject[]))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    return items
  }

  /** The params of what it was told or asked by this method. */
  received(method: string): JsonObject[] {
    return this.messages.flatMap((message) =>
      'method' in message && message.method === method ? [message.params ?? {}] : [],
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.session.close()
  }
}

async function openClient(
  clock: TestClock,
  published: MessageHandler,
  options: ClientOptions,
): Promise<TestClient> {
  const { answers = {}, capabilities = capabilitiesOf(answers), principal, memory } = options
  const [near, far] = createWirePair()
  const host = await openSession(far, published, { kind: 'client', clock, principal, memory })
  const session = await openSession(near, answer(answers), { clock, timeouts: patient })
  const client = new TestClient(session, host, near)
  const receive = near.onmessage
  near.onmessage = (message, extra) => {
    client.messages.push(message)
    client.related.push((extra as MessageExtra | undefined)?.relatedRequestId)
    receive?.(message, extra)
  }
  await initialize(session, { info: { name: options.name ?? 'test', version: '1' }, capabilities })
  return client
}

/** The limits under test are the gateway's. */
const patient = {
  request: Number.POSITIVE_INFINITY,
  idle: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
}

function capabilitiesOf(answers: Readonly<Record<string, Answer>>): JsonObject {
  const names = Object.keys(answers).map((method) => method.split('/')[0] ?? '')
  const known = names.filter((name) => ['elicitation', 'sampling', 'roots'].includes(name))
  return Object.fromEntries(known.map((name) => [name, {}]))
}

/** An error as it would be read. */
export function errorText(error: unknown): string {
  return isProtocolError(error) ? `${error.number} ${error.message}` : String(error)
}

/** The error that something ends with. */
export async function errorOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => 'no error', errorText)
}

/** Events with ids that are the same each time. */
export function plain(events: readonly CallEvent[]): JsonObject[] {
  const known = new Map<string, string>()
  const rename = (id: string | undefined, prefix: string) => {
    if (id === undefined) return undefined
    if (!known.has(id)) known.set(id, `${prefix}${known.size + 1}`)
    return known.get(id)
  }
  return events.map(({ id, parent, root, ...event }) => ({
    ...Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)),
    id: rename(id, 'call-'),
    ...(parent === undefined ? {} : { parent: rename(parent, 'call-') }),
    root: rename(root, 'root-'),
  }))
}

/** Holds whoever waits until it is opened. */
export interface Gate<T> {
  wait(): Promise<T>
  open(value: T): void
  /** How many have come so far. */
  readonly arrived: number
}

export function createGate<T = void>(): Gate<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  let arrived = 0
  return {
    wait() {
      arrived += 1
      return promise
    },
    open: resolve,
    get arrived() {
      return arrived
    },
  }
}
