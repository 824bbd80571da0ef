import type { Clock, JsonObject, Principal } from '@mobius-mcp/protocol'
import type { Questions, Threads } from '@mobius-mcp/state'
import { Inbox } from './inbox.ts'
import { type ChatEvent, ProgressLog } from './progress-log.ts'
import type { ThreadHub, ThreadPart } from './thread-hub.ts'
import { ThreadLog } from './thread-log.ts'
import { ThreadSession } from './thread-session.ts'
import type { Turn } from './turn.ts'

export interface LiveThreadOptions {
  readonly id: string
  readonly principal: Principal
  readonly threads: Threads
  readonly questions: Questions
  readonly clock: Clock
  readonly hub: ThreadHub
  /** How long it is kept when nothing is done in it. */
  readonly idleTimeout: number
  onIdle(thread: LiveThread): void
}

/** A thread in use: its root session with all that hangs off it, what is done in it, and who looks on. */
export class LiveThread {
  readonly id: string
  readonly principal: Principal
  readonly session: ThreadSession
  readonly log: ThreadLog
  readonly progress: ProgressLog = new ProgressLog()
  readonly inbox: Inbox
  /** The first is done now, the others wait. */
  readonly turns: Turn[] = []
  readonly #options: LiveThreadOptions
  #idle: unknown
  #asked = 0

  constructor(options: LiveThreadOptions) {
    const { id, principal, threads, questions, clock } = options
    this.#options = options
    this.id = id
    this.principal = principal
    this.log = new ThreadLog(threads, principal, id)
    this.inbox = new Inbox({
      questions,
      thread: id,
      principal,
      clock,
      onChange: () => this.changed('elicitation'),
    })
    this.session = new ThreadSession(id, {
      ask: (method, params, signal) => this.ask(method, params, signal),
      notify: (method, params) => this.current?.notify(method, params),
    })
    this.#rest()
  }

  get current(): Turn | undefined {
    return this.turns[0]
  }

  /** What a server asks outside any call: whoever looks on may answer. */
  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    this.#asked += 1
    const step = `outside-${this.#asked}`
    const { current } = this
    if (current) return current.ask(step, method, params, signal)
    const id = `${this.session.id}:${crypto.randomUUID()}`
    return this.inbox.ask({ id, asker: id, method, params, signal, clients: [] })
  }

  /** Lets a turn begin when all that came before it have ended. */
  enqueue(turn: Turn): void {
    this.#options.clock.clear(this.#idle)
    this.turns.push(turn)
    if (this.turns.length === 1) this.#next()
    else this.tell({ type: 'queued', turn: turn.id })
  }

  tell(event: ChatEvent): void {
    this.progress.add(event)
    this.changed('progress')
  }

  changed(part: ThreadPart): void {
    this.#options.hub.changed(this.id, part)
  }

  async close(reason: string): Promise<void> {
    this.#options.clock.clear(this.#idle)
    await this.session.close(reason)
  }

  #next(): void {
    const { current } = this
    if (!current) {
      this.#rest()
      return
    }
    this.progress.begin()
    // It never rejects.
    void current.start().finally(() => {
      this.turns.shift()
      this.#next()
    })
  }

  #rest(): void {
    const { clock, idleTimeout, hub, onIdle } = this.#options
    clock.clear(this.#idle)
    this.#idle = clock.set(() => {
      if (this.turns.length > 0) return
      if (hub.isWatched(this.id)) this.#rest()
      else onIdle(this)
    }, idleTimeout)
  }
}
