import type { Hooks } from '@mobius-mcp/hooks'
import type { FilePart, Model, TextPart } from '@mobius-mcp/models'
import {
  type Caller,
  type CallInfo,
  Cancellation,
  type Clock,
  type JsonObject,
  type MessageContext,
  type Origin,
  type Principal,
  type Session,
} from '@mobius-mcp/protocol'
import type { Questions, Run, StepOutcome } from '@mobius-mcp/state'
import type { AgentDefinition } from './agent-definition.ts'
import type { ModelSource } from './agents.ts'
import { endText } from './end-text.ts'
import type { ChatItem, EndReason } from './items.ts'
import type { LiveThread } from './live-thread.ts'
import type { ChatEvent } from './progress-log.ts'
import type { AgentContext, StepOwner } from './step-context.ts'
import { eventMeta } from './tool-call.ts'
import type { TurnInput, TurnResult } from './turn-input.ts'
import { runTurn } from './turn-loop.ts'
import { TurnTimers } from './turn-timers.ts'

/** What turns need of the world. */
export interface TurnHost {
  readonly models: ModelSource
  readonly clock: Clock
  readonly hooks: Hooks | undefined
  readonly hookPrincipal: Principal
  readonly questions: Questions
  /** Bytes of a result that are shown to a model. */
  readonly resultLimit: number
  callerFor(context: AgentContext): Caller
  /** Gives a thread its title, beside its first turn. */
  name(thread: LiveThread, content: TurnInput['content']): void
}

export interface TurnOptions {
  readonly id: string
  readonly input: TurnInput
  readonly run: Run
  readonly thread: LiveThread
  readonly definition: AgentDefinition
  readonly host: TurnHost
  /** The call that it answers. */
  readonly cause?: CallInfo | undefined
  /** The steps that were done before its process ended. */
  readonly done: ReadonlySet<string>
}

/** Why a turn is to end before it has come to an end of itself. */
export interface Stop {
  readonly reason: EndReason
  readonly text: string
}

/** One turn of a thread: from what somebody said to the end of the agent's answer. A run in the journal. */
export class Turn implements StepOwner {
  readonly id: string
  readonly input: TurnInput
  readonly thread: LiveThread
  readonly definition: AgentDefinition
  readonly host: TurnHost
  readonly cause: CallInfo | undefined
  /** Those that it began with. */
  readonly hooks: Hooks | undefined
  readonly cancellation: Cancellation = new Cancellation()
  readonly origin: Origin
  /** The clients that wait for it. */
  readonly clients: Set<MessageContext> = new Set<MessageContext>()
  readonly #run: Run
  readonly #doneBefore: ReadonlySet<string>
  readonly #end = Promise.withResolvers<TurnResult>()
  readonly #steering = new Set<Promise<unknown>>()
  readonly #asked = new Map<string, number>()
  #stop: Stop | undefined
  #timers: TurnTimers | undefined
  #closed = false
  #isLetGo = false
  #told = 0

  constructor(options: TurnOptions) {
    const { id, input, run, thread, definition, host, cause, done } = options
    this.id = id
    this.input = input
    this.thread = thread
    this.definition = definition
    this.host = host
    this.cause = cause
    this.hooks = host.hooks
    this.origin = { kind: 'agent', name: definition.name, cause: input.origin }
    this.#run = run
    this.#doneBefore = done
    // Somebody may be waiting, or nobody.
    this.#end.promise.catch(() => {})
  }

  /** What it comes to; rejects where the run was lost to another process or could not be recorded. */
  get result(): Promise<TurnResult> {
    return this.#end.promise
  }

  get session(): Session {
    return this.thread.session
  }

  get principal(): Principal {
    return this.input.principal
  }

  get depth(): number {
    return this.input.depth
  }

  get stopped(): Stop | undefined {
    return this.#stop
  }

  callerFor(context: AgentContext): Caller {
    return this.host.callerFor(context)
  }

  /** The model of a name, for whoever it is that waits. @throws what there is no such model by. */
  model(name: string | undefined): Model {
    const [client] = this.clients
    return this.host.models.model(name, { principal: this.principal, client })
  }

  /** Does it, to its end. Never rejects. */
  async start(): Promise<void> {
    const { time: limit } = this.definition.limits ?? {}
    this.#timers = new TurnTimers({
      clock: this.host.clock,
      limit,
      onBeat: () => this.#beat(),
      onLimit: () => this.stop({ reason: 'limit', text: `the limit of ${limit} ms was reached` }),
    })
    try {
      if (this.wasDone('stop')) await this.#recallStop()
      const result = await runTurn(this)
      await this.#run.end(result)
      this.#end.resolve(result)
    } catch (error) {
      await this.#giveUp(error)
    } finally {
      this.#closed = true
      this.#timers.stop()
    }
  }

  /** Ends it soon: what is under way is taken back, what happened is kept. */
  stop(stop: Stop): void {
    if (this.#stop || this.#closed) return
    this.#stop = stop
    // Whoever takes the turn up is not to go on with what was stopped; it is no harm where that is not ours to say.
    this.#run.step('stop', { idempotent: true }, () => stop).catch(() => {})
    this.cancellation.cancel(stop.text)
  }

  /** Lets it go, for another process to go on. */
  async release(): Promise<void> {
    this.#isLetGo = true
    await this.#run.release()
    this.stop({ reason: 'cancelled', text: 'this process ends; another may go on' })
  }

  /** Says something to the agent before it asks its model again. False where it is too late for that. */
  async steer(content: readonly (TextPart | FilePart)[]): Promise<boolean> {
    if (this.#closed || this.#stop) return false
    const id = `steer-${crypto.randomUUID()}`
    const saying = this.append(id, { type: 'user', turn: this.id, content })
    this.#steering.add(saying)
    try {
      await saying
    } finally {
      this.#steering.delete(saying)
    }
    return true
  }

  /** Whether somebody said something that the model has not seen. Where nobody did, nobody can any more. */
  async hasNews(seen: number): Promise<boolean> {
    await Promise.allSettled(this.#steering)
    const isNew = this.thread.log.items.some(
      ({ sequence, value }) => sequence > seen && value.type === 'user' && value.turn === this.id,
    )
    if (isNew) return true
    this.#closed = this.#steering.size === 0
    return !this.#closed
  }

  /** Whether a step was done before the process that began the turn ended. */
  wasDone(step: string): boolean {
    return this.#doneBefore.has(step)
  }

  step<T>(key: string, idempotent: boolean, work: () => Promise<T>): Promise<StepOutcome<T>> {
    return this.#run.step(key, { idempotent }, work)
  }

  /** Appends to the thread, once for each id. */
  async append(id: string, value: ChatItem): Promise<number> {
    const sequence = await this.thread.log.append(`${this.id}:${id}`, value, this.host.clock.now())
    this.thread.changed('history')
    return sequence
  }

  /** Tells whoever looks on what happens. */
  tell(event: ChatEvent): void {
    this.thread.tell(event)
    this.#told += 1
    for (const client of this.clients) {
      client.progress({
        progress: this.#told,
        ...(event.type === 'text-delta' ? { message: String(event.text) } : {}),
        _meta: { [eventMeta]: { thread: this.thread.id, event } },
      })
    }
  }

  notify(method: string, params: JsonObject | undefined): void {
    if (method !== 'notifications/message') return
    for (const client of this.clients) client.notify(method, params)
  }

  /** What a server asks in a step: whoever looks on may answer, and whoever waits for the turn. */
  ask(
    step: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const [client] = this.clients
    if (method !== 'elicitation/create') {
      // Models and folders are a client's own.
      return client
        ? client.ask(method, params, signal)
        : this.thread.inbox.refuse(method, 'no client waits for the turn')
    }
    const count = (this.#asked.get(step) ?? 0) + 1
    this.#asked.set(step, count)
    const asker = `${this.id}:${step}`
    const either = signal
      ? AbortSignal.any([signal, this.cancellation.signal])
      : this.cancellation.signal
    const id = `${asker}:${count}`
    const release = this.#timers?.hold()
    return this.thread.inbox
      .ask({
        ...{ id, asker, method, params },
        signal: either,
        clients: this.clients,
        isLetGo: () => this.#isLetGo,
      })
      .finally(release)
  }

  /** Whoever waits sees that there is still somebody at work. */
  #beat(): void {
    this.#told += 1
    for (const client of this.clients) client.progress({ progress: this.#told })
  }

  /** It was stopped before its process ended. */
  async #recallStop(): Promise<void> {
    const known = await this.#run.step('stop', { idempotent: true }, (): Stop => stoppedBefore)
    this.#stop = known.kind === 'finished' ? known.value : stoppedBefore
    this.cancellation.cancel(this.#stop.text)
  }

  /** What nobody thought of: it would come to the same again, so it is the end of the turn. */
  async #giveUp(error: unknown): Promise<void> {
    if (isLost(error)) {
      // What is still under way here is not wanted any more.
      this.cancellation.cancel('another process goes on with it')
      this.#end.reject(error)
      return
    }
    const why = error instanceof Error ? error.message : String(error)
    const text = endText('error', why)
    const usage = { inputTokens: 0, outputTokens: 0 }
    const end = { type: 'end' as const, turn: this.id, reason: 'error' as const, text, usage }
    // The thread itself may be what is gone.
    await this.append('end', end).catch(() => {})
    const content = [{ type: 'text', text }]
    const result = { turn: this.id, thread: this.thread.id, reason: end.reason, content, tokens: 0 }
    await this.#run.end(result).catch(() => {})
    this.#end.resolve(result)
  }
}

const stoppedBefore: Stop = { reason: 'cancelled', text: 'it was stopped' }

function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'RUN_LOST'
}
