import type { Hooks } from '@mobius-mcp/hooks'
import {
  type Caller,
  type CallInfo,
  type Clock,
  isObject,
  type JsonObject,
  localPrincipal,
  type MessageContext,
  type Principal,
  type ServerDefinition,
  systemClock,
} from '@mobius-mcp/protocol'
import {
  type Journal,
  type PrincipalName,
  principalKey,
  type Questions,
  type RunRecord,
} from '@mobius-mcp/state'
import type { AgentDefinition } from './agent-definition.ts'
import { createServerOf } from './agent-server.ts'
import type { Agents, AgentsOptions, ModelSource } from './agents.ts'
import { LiveThread } from './live-thread.ts'
import { Seats } from './seats.ts'
import { resultLimit } from './spill.ts'
import type { AgentContext } from './step-context.ts'
import { ThreadHub, type ThreadPart } from './thread-hub.ts'
import { makeTitle } from './title.ts'
import { Turn, type TurnHost } from './turn.ts'
import type { TurnInput, TurnResult } from './turn-input.ts'

/** What turns are called in the journal. */
const runKind = 'agent'
const halfAnHour = 30 * 60_000

/** A turn that is under way, or what it came to. */
export type Begun = { readonly turn: Turn } | { readonly result: TurnResult }

interface BeginOptions {
  readonly definition: AgentDefinition
  readonly cause?: CallInfo | undefined
  /** Waits for it from its first word on. */
  readonly client?: MessageContext | undefined
}

/** The agents of a process: which there are, which threads are in use, which turns under way. */
export class AgentsRuntime implements Agents, TurnHost {
  readonly clock: Clock
  readonly seats: Seats
  readonly hub: ThreadHub
  readonly #options: AgentsOptions
  readonly #definitions = new Map<string, AgentDefinition>()
  readonly #redefined = new Map<string, Set<() => void>>()
  readonly #threads = new Map<string, LiveThread>()
  readonly #turns = new Map<string, Promise<Begun>>()
  /** The last chat of each thread that has arrived and not begun yet. */
  readonly #arrivals = new Map<string, Promise<void>>()
  /** Turns that wait for an agent that is not there, and that somebody was told of. */
  readonly #orphans = new Set<string>()
  readonly #naming = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: AgentsOptions) {
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.hub = new ThreadHub(this.clock)
    this.seats = new Seats(this.hub)
  }

  get models(): ModelSource {
    return this.#options.models
  }

  get state(): AgentsOptions['state'] {
    return this.#options.state
  }

  get questions(): Questions {
    return this.state.questions
  }

  get hooks(): Hooks | undefined {
    return this.#options.hooks
  }

  get hookPrincipal(): Principal {
    return this.#options.hookPrincipal ?? localPrincipal
  }

  get roots(): readonly string[] {
    return this.#options.roots ?? []
  }

  get maxDepth(): number {
    return this.#options.maxDepth ?? 5
  }

  get resultLimit(): number {
    return this.#options.resultLimit ?? resultLimit
  }

  callerFor(context: AgentContext): Caller {
    return this.#options.callerFor(context)
  }

  serve(definition: AgentDefinition): ServerDefinition {
    const { name } = definition
    this.#definitions.set(name, definition)
    for (const changed of this.#redefined.get(name) ?? []) changed()
    return createServerOf(this, definition)
  }

  remove(agent: string): void {
    this.#definitions.delete(agent)
  }

  /** An agent as it is defined now. */
  definition(name: string): AgentDefinition | undefined {
    return this.#definitions.get(name)
  }

  /** Calls back when an agent is defined anew, until the returned function is called. */
  watchDefinition(name: string, changed: () => void): () => void {
    const watchers = this.#redefined.get(name) ?? new Set()
    this.#redefined.set(name, watchers)
    const watcher = () => changed()
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }

  /** Begins a turn, or finds it: one that is under way, that has ended, or that a dead process left behind. */
  begin(id: string, input: TurnInput, options: BeginOptions): Promise<Begun> {
    const known = this.#turns.get(id)
    if (known) return known.then((begun) => checkOwner(begun, id, input))
    const beginning = this.#begin(id, input, options)
    this.#turns.set(id, beginning)
    const forget = () => this.#turns.delete(id)
    beginning.then(
      (begun) => ('turn' in begun ? void begun.turn.result.then(forget, forget) : forget()),
      forget,
    )
    return beginning
  }

  /** What is done in a thread now. */
  busyTurn(thread: string): Turn | undefined {
    return this.#threads.get(thread)?.current
  }

  /** Lets a chat begin when those that came to its thread before have begun, however long that took them. */
  inOrder<T>(thread: string, begin: () => Promise<T>): Promise<T> {
    const before = this.#arrivals.get(thread) ?? Promise.resolve()
    const mine = before.then(begin)
    const settled = mine.then(
      () => {},
      () => {},
    )
    this.#arrivals.set(thread, settled)
    void settled.then(() => {
      if (this.#arrivals.get(thread) === settled) this.#arrivals.delete(thread)
    })
    return mine
  }

  /** A thread that is in use. */
  live(thread: string): LiveThread | undefined {
    return this.#threads.get(thread)
  }

  async resume(): Promise<number> {
    const { journal } = this.state
    let taken = 0
    // What cannot be taken up stays in the list, and must not hide what comes behind it.
    const left = new Set<string>()
    for (;;) {
      const query = { kind: runKind, abandoned: true, limit: 1000 + left.size }
      const records = (await journal.list(query)).filter(({ id }) => !left.has(id))
      if (records.length === 0) return taken
      // One after the other: what waited in one thread goes on in its order.
      for (const record of records) {
        if (await this.#takeUp(record)) taken += 1
        else left.add(record.id)
      }
    }
  }

  isBusy(principal: PrincipalName, thread: string): boolean {
    return (this.#own(principal, thread)?.turns.length ?? 0) > 0
  }

  async rename(principal: PrincipalName, thread: string, title: string): Promise<boolean> {
    const { threads } = this.state
    const isThere = await threads.rename(principal, thread, { title, at: this.clock.now() })
    if (isThere) this.hub.changed(thread, 'info')
    return isThere
  }

  stop(principal: PrincipalName, thread: string): boolean {
    const turns = [...(this.#own(principal, thread)?.turns ?? [])]
    for (const turn of turns) turn.stop({ reason: 'cancelled', text: 'it was stopped' })
    return turns.length > 0
  }

  async answer(principal: PrincipalName, id: string, answer: JsonObject): Promise<boolean> {
    const question = await this.questions.get(id)
    if (!question || principalKey(question.principal) !== principalKey(principal)) return false
    const live = this.#threads.get(question.root)
    if (live) return await live.inbox.answer(id, answer, principal)
    const answering = { value: answer, by: principal, at: this.clock.now() }
    return await this.questions.answer(id, answering)
  }

  async delete(principal: PrincipalName, thread: string): Promise<boolean> {
    const live = this.#threads.get(thread)
    if (this.stop(principal, thread)) {
      await Promise.allSettled(live?.turns.map(({ result }) => result) ?? [])
    }
    const wasThere = await this.state.threads.delete(principal, thread)
    if (!wasThere) return false
    // One of the same id that is made later begins anew.
    this.#threads.delete(thread)
    await live?.close('the thread was deleted')
    for (const part of ['info', 'history'] as const) this.hub.changed(thread, part)
    return true
  }

  watch(changed: (thread: string, part: ThreadPart) => void): () => void {
    return this.hub.watchAll(changed)
  }

  /** Gives a thread a title beside its first turn: nobody waits for it. */
  name(thread: LiveThread, content: TurnInput['content']): void {
    if (this.#naming.has(thread.id)) return
    const naming = this.#name(thread, content).catch((error: unknown) => {
      this.#problem(`The thread ${thread.id} got no title: ${reasonOf(error)}`)
    })
    this.#naming.set(thread.id, naming)
    void naming.finally(() => this.#naming.delete(thread.id))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const threads = [...this.#threads.values()]
    const turns = threads.flatMap((thread) => [...thread.turns])
    // First they are let go, so that what is taken back is not recorded as having failed.
    await Promise.allSettled(turns.map((turn) => turn.release()))
    await Promise.allSettled(turns.map((turn) => turn.result))
    await Promise.allSettled(threads.map((thread) => thread.close('the agents were closed')))
    await Promise.allSettled(this.#naming.values())
    this.#threads.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #begin(id: string, input: TurnInput, options: BeginOptions): Promise<Begun> {
    const { journal } = this.state
    const opening = await journal.run(id, this.#options.owner, { kind: runKind, input })
    if (opening.kind === 'held') {
      throw new Error('Another process is at work on this. Read its progress in the thread.')
    }
    if (opening.kind === 'ended') return { result: resultOf(opening.record, input) }
    const { run } = opening
    // What was begun counts, whoever asks for it once more.
    const begun = run.resumed && isInput(run.input) ? run.input : input
    if (!isSamePrincipal(begun, input)) {
      await run.release()
      throw notTheirs(id)
    }
    const done = run.resumed ? await finishedSteps(journal, id) : new Set<string>()
    const thread = this.#open(begun)
    const { definition, cause, client } = options
    const turn = new Turn({ id, input: begun, run, thread, definition, host: this, cause, done })
    if (client) turn.clients.add(client)
    thread.enqueue(turn)
    return { turn }
  }

  async #takeUp({ id, input }: RunRecord): Promise<boolean> {
    if (!isInput(input)) return false
    const definition = this.#definitions.get(input.agent)
    if (!definition) {
      if (!this.#orphans.has(id)) {
        this.#problem(`The turn ${id} waits: there is no agent "${input.agent}" any more.`)
      }
      this.#orphans.add(id)
      return false
    }
    try {
      const begun = await this.begin(id, input, { definition })
      return 'turn' in begun
    } catch (error) {
      this.#problem(`The turn ${id} could not be taken up: ${reasonOf(error)}`)
      return false
    }
  }

  /** A thread that is in use, unless it is somebody else's. */
  #own(principal: PrincipalName, thread: string): LiveThread | undefined {
    const live = this.#threads.get(thread)
    return live && principalKey(live.principal) === principalKey(principal) ? live : undefined
  }

  #open({ thread: id, principal, origin }: TurnInput): LiveThread {
    const known = this.#threads.get(id)
    if (known) return known
    const { threads, questions } = this.state
    const thread = new LiveThread({
      id,
      principal,
      threads,
      questions,
      clock: this.clock,
      hub: this.hub,
      // Each call of a sub-agent has a thread of its own: nobody comes back to most of them.
      idleTimeout: origin.kind === 'agent' ? 0 : (this.#options.idleTimeout ?? halfAnHour),
      onIdle: (idle) => {
        if (this.#threads.get(id) === idle) this.#threads.delete(id)
        void idle.close('the thread is not used any more')
      },
    })
    this.#threads.set(id, thread)
    return thread
  }

  async #name({ id, principal }: LiveThread, content: TurnInput['content']): Promise<void> {
    const { threads } = this.state
    const known = await threads.get(principal, id)
    if (known?.title !== '') return
    // What agents say to one another is nothing to spend a model on.
    const asker = { principal, client: undefined }
    const model = known.parent === undefined ? this.models.model('mini', asker) : undefined
    const title = await makeTitle(model, content, this.#closing.signal)
    const named = await threads.get(principal, id)
    // A person who gave it a name meanwhile knows better.
    if (title === '' || named?.title !== '') return
    await threads.rename(principal, id, { title, at: this.clock.now() })
    this.hub.changed(id, 'info')
  }

  #problem(message: string): void {
    this.#options.onProblem?.(message)
  }
}

/** The keys of all steps of a run that are done. */
async function finishedSteps(journal: Journal, run: string): Promise<Set<string>> {
  const done = new Set<string>()
  for (let after = 0; ; ) {
    const steps = await journal.steps(run, { after })
    const last = steps.at(-1)
    if (!last) return done
    for (const { key, state } of steps) if (state === 'finished') done.add(key)
    after = last.position
  }
}

function checkOwner(begun: Begun, id: string, input: TurnInput): Begun {
  if ('turn' in begun && !isSamePrincipal(begun.turn.input, input)) throw notTheirs(id)
  return begun
}

function isSamePrincipal(left: TurnInput, right: TurnInput): boolean {
  return principalKey(left.principal) === principalKey(right.principal)
}

function notTheirs(id: string): Error {
  return new Error(`The turn ${id} is somebody else's.`)
}

function resultOf({ id, input, result }: RunRecord, wanted: TurnInput): TurnResult {
  if (isInput(input) && !isSamePrincipal(input, wanted)) throw notTheirs(id)
  if (isObject(result) && Array.isArray(result.content)) return result as TurnResult
  const why =
    isObject(result) && typeof result.error === 'string' ? result.error : 'nobody knows why'
  throw new Error(`The turn ${id} could not be brought to its end: ${why}`)
}

/** Only this package writes what is read here. */
function isInput(value: unknown): value is TurnInput {
  return isObject(value) && typeof value.agent === 'string' && typeof value.thread === 'string'
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
