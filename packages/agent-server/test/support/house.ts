import { setImmediate } from 'node:timers/promises'
import {
  type CallResult,
  createWirePair,
  initialize,
  type JsonObject,
  type Message,
  type MessageHandler,
  openSession,
  type Principal,
  type Progress,
  type ServerDefinition,
  type Session,
  type SessionMemory,
} from '@mobius-mcp/protocol'
import { createMemoryState, openLeaseHolder, type RunOwner, type State } from '@mobius-mcp/state'
import { createTestClock, type TestClock } from '@mobius-mcp/testing/test-clock.ts'
import {
  type CallEvent,
  createToolsService,
  type ToolsService,
  type ToolsServiceOptions,
} from '@mobius-mcp/tools-service'
import {
  type AgentDefinition,
  type Agents,
  type AgentsOptions,
  chatToolOf,
  createAgents,
} from '../../src/index.ts'

export interface HouseOptions
  extends Partial<Omit<AgentsOptions, 'models' | 'callerFor' | 'state'>> {
  readonly agents: readonly AgentDefinition[]
  readonly models: AgentsOptions['models']
  readonly servers?: readonly ServerDefinition[]
  readonly state?: State
  readonly service?: ToolsServiceOptions
  readonly testClock?: TestClock
}

/** A tools service with agents and servers in it. */
export interface House extends AsyncDisposable {
  readonly service: ToolsService
  readonly agents: Agents
  readonly state: State
  readonly owner: RunOwner
  readonly clock: TestClock
  readonly events: CallEvent[]
  readonly problems: string[]
  readonly published: MessageHandler
  client(options?: ClientOptions): Promise<ChatClient>
}

interface ClientOptions {
  readonly principal?: Principal
  /** How its session was known in an earlier process, and what that remembers. */
  readonly again?: { readonly id: string; readonly memory: SessionMemory }
  /** Answers what the client is asked. */
  readonly answers?: Readonly<Record<string, (params: JsonObject) => unknown>>
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const { agents: definitions, models, servers = [], service: more, testClock, ...rest } = options
  const clock = testClock ?? createTestClock()
  const state = options.state ?? createMemoryState({ clock })
  const owner = options.owner ?? (await openLeaseHolder({ leases: state.leases, clock }))
  const events: CallEvent[] = []
  const problems: string[] = []
  const service = createToolsService({
    clock,
    crossing: 'frozen',
    observe: (event) => events.push(event),
    onLog: (server, line) => problems.push(`${server}: ${line}`),
    ...more,
  })
  const agents = createAgents({
    clock,
    models,
    onProblem: (message) => problems.push(message),
    ...rest,
    get hooks() {
      return options.hooks
    },
    state,
    owner,
    callerFor: (context) => service.callerFor(context),
  })
  for (const server of servers) service.addServer(server)
  for (const definition of definitions) service.addServer(agents.serve(definition))
  const plain = definitions.map(({ name }) => `${name}/${chatToolOf(name)}:${chatToolOf(name)}`)
  const published = service.publish({ refs: ['*', ...plain] })
  return {
    service,
    agents,
    state,
    owner,
    clock,
    events,
    problems,
    published,
    client: (client) => openClient(published, client),
    async [Symbol.asyncDispose]() {
      await agents.close()
      await service.close()
    },
  }
}

/** A client, and what it was told. */
export class ChatClient implements AsyncDisposable {
  readonly session: Session
  readonly messages: Message[] = []
  /** What was reported of chats that asked for it. */
  readonly progress: Progress[] = []

  constructor(session: Session) {
    this.session = session
  }

  /** Chats, and gives the whole result. */
  chat(agent: string, prompt: string, more: JsonObject = {}): Promise<CallResult> {
    const { _meta, ...args } = more
    const meta = _meta === undefined ? {} : { _meta }
    const params = { name: chatToolOf(agent), arguments: { prompt, ...args }, ...meta }
    const options = { onProgress: (progress: Progress) => void this.progress.push(progress) }
    return this.session.request('tools/call', params, options) as Promise<CallResult>
  }

  /** Chats, and gives what was said. */
  async say(agent: string, prompt: string, more: JsonObject = {}): Promise<string> {
    try {
      return textOf(await this.chat(agent, prompt, more))
    } catch (error) {
      return String(error)
    }
  }

  /** What a resource holds: JSON parsed, text as it is. */
  async read(uri: string): Promise<JsonObject[]> {
    const { contents } = (await this.session.request('resources/read', { uri })) as {
      contents: { text: string; mimeType: string }[]
    }
    return contents.map(({ text, mimeType }) =>
      mimeType.includes('json') ? (JSON.parse(text) as JsonObject) : { text },
    )
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
  published: MessageHandler,
  { principal, again, answers = {} }: ClientOptions = {},
): Promise<ChatClient> {
  const [near, far] = createWirePair()
  await openSession(far, published, { kind: 'client', principal, ...again })
  const handler: MessageHandler = {
    onMessage: (message) =>
      'id' in message ? answers[message.method]?.(message.params ?? {}) : {},
  }
  const session = await openSession(near, handler, {})
  const client = new ChatClient(session)
  const receive = near.onmessage
  near.onmessage = (message, extra) => {
    client.messages.push(message)
    receive?.(message, extra)
  }
  const capabilities = 'elicitation/create' in answers ? { elicitation: {} } : {}
  await initialize(session, { info: { name: 'test', version: '1' }, capabilities })
  return client
}

export function textOf({ content, isError }: CallResult): string {
  const text = content.map((block) => String(block.text ?? `[${block.type}]`)).join('\n')
  return isError === true ? `failed: ${text}` : text
}

/** Lets everything that waits for promises alone go on. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await setImmediate()
}

/** Holds whoever waits until it is opened. */
export interface Gate<T> {
  wait(): Promise<T>
  open(value: T): void
  readonly arrived: Promise<void>
}

export function createGate<T = void>(): Gate<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const arrival = Promise.withResolvers<void>()
  return {
    wait() {
      arrival.resolve()
      return promise
    },
    open: resolve,
    arrived: arrival.promise,
  }
}
