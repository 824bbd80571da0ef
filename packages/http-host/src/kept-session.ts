import {
  isObject,
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  type RequestMessage,
  type SessionMemory,
} from '@mobius-mcp/protocol'
import type { SessionRecord } from '@mobius-mcp/state'
import type { LoggedEvent } from './event-log.ts'
import type { HostSession } from './host-session.ts'
import type { SessionKeeper } from './session-keeper.ts'

/** What of a session lives through a restart. It stands before the session's handler, to notice what changes. */
export class KeptSession implements MessageHandler, SessionMemory {
  /** A digest of the id that the client shows. */
  readonly key: string
  /** Numbers on its streams are greater: smaller ones are those of earlier processes. */
  readonly numbersFrom: number
  readonly #keeper: SessionKeeper
  readonly #handler: MessageHandler
  #host: HostSession | undefined
  /** Until the session is kept. */
  #initialize: JsonObject | undefined
  #subscriptions: Set<string> | undefined
  #logLevel: string | undefined
  #memory: JsonObject | undefined
  #isSaved = false
  #isWaiting = false
  #isReplaying = false
  #isOver = false

  constructor(keeper: SessionKeeper, key: string, handler: MessageHandler, record?: SessionRecord) {
    this.#keeper = keeper
    this.key = key
    this.#handler = handler
    this.numbersFrom = record ? keeper.firstNumber() : 0
    this.#logLevel = record?.logLevel
    this.#memory = record?.memory
    if (record && record.subscriptions.length > 0)
      this.#subscriptions = new Set(record.subscriptions)
  }

  get subscriptions(): readonly string[] {
    return [...(this.#subscriptions ?? [])]
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const { method, params } = message
    const result = this.#handler.onMessage(message, context)
    if (method === 'tools/call' || this.#isReplaying) return result
    if (method === 'initialize') this.#initialize = params
    else if (settings.has(method)) this.#note(result, method, params ?? {})
    return result
  }

  recall(name: string): unknown {
    return this.#memory !== undefined && Object.hasOwn(this.#memory, name)
      ? this.#memory[name]
      : undefined
  }

  remember(name: string, value: unknown): void {
    this.#memory = { ...this.#memory, [name]: value }
    this.#onChange()
  }

  /** The handshake has succeeded: from now on it is kept. */
  begin(host: HostSession): void {
    const { session, principal, path, since } = host
    this.#host = host
    const record: SessionRecord = {
      key: this.key,
      id: session.id,
      principal: { id: principal.id, issuer: principal.issuer },
      path,
      protocolVersion: session.peer?.protocolVersion ?? '',
      initialize: withoutToken(this.#initialize ?? {}),
      memory: this.#memory,
      subscriptions: [],
      createdAt: since,
      seenAt: since,
    }
    this.#initialize = undefined
    this.#keeper.put(async ({ sessions, owner }) => {
      await sessions.save({ ...record, owner })
      this.#isSaved = true
    })
  }

  /** It goes on from where an earlier process left it. */
  resume(host: HostSession): void {
    this.#host = host
    this.#isSaved = true
  }

  /** Has the handler told something that the client had said before: nothing changes by that. */
  replay(work: () => void): void {
    this.#isReplaying = true
    try {
      work()
    } finally {
      this.#isReplaying = false
    }
  }

  isSubscribed(uri: string): boolean {
    return this.#subscriptions?.has(uri) ?? false
  }

  subscribe(uri: string): void {
    this.#subscriptions ??= new Set()
    this.#subscriptions.add(uri)
    this.#onChange()
  }

  unsubscribe(uri: string): void {
    if (this.#subscriptions?.delete(uri)) this.#onChange()
  }

  /** Keeps what was said to nobody. */
  store(event: LoggedEvent): void {
    const { channel, sequence, frame: data, final, time: at } = event
    if (!this.#isOver) this.#keeper.append({ scope: this.key, channel, sequence, data, final, at })
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#host) this.#keeper.forget(this.key)
  }

  /** A result that is still to come counts when it has come. */
  #note(result: unknown, method: string, params: JsonObject): void {
    Promise.resolve(result).then(
      () => this.#take(method, params),
      () => {},
    )
  }

  #take(method: string, { uri, level }: JsonObject): void {
    if (typeof uri === 'string' && method === 'resources/subscribe') this.subscribe(uri)
    else if (typeof uri === 'string' && method === 'resources/unsubscribe') this.unsubscribe(uri)
    else if (typeof level === 'string' && method === 'logging/setLevel') {
      this.#logLevel = level
      this.#onChange()
    }
  }

  /** Several changes in a row are written once. */
  #onChange(): void {
    if (!this.#host || this.#isWaiting || this.#isOver) return
    this.#isWaiting = true
    this.#keeper.put(async ({ sessions, owner }) => {
      this.#isWaiting = false
      if (!this.#isSaved) return
      const isOurs = await sessions.update(this.key, owner, {
        subscriptions: this.subscriptions,
        logLevel: this.#logLevel,
        memory: this.#memory,
      })
      if (!isOurs) this.#letGo()
    })
  }

  /** It is not this process's any more, so what is kept of it is not either. */
  #letGo(): void {
    this.#isOver = true
    this.#host?.close('another process has taken it over, or ended it')
  }
}

/** The requests by which a client sets something for its whole session. */
const settings = new Set(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])

/** Nobody waits for the progress of a handshake that is made again. */
function withoutToken(params: JsonObject): JsonObject {
  if (!isObject(params._meta)) return params
  const { progressToken: _, ...meta } = params._meta
  return { ...params, _meta: meta }
}
