import { type Clock, type Deadlines, deadlinesOf } from '@mobius-mcp/protocol'
import { type CompiledHook, isIn } from './compiled-hook.ts'
import type {
  HookChain,
  HookDecision,
  HookMatch,
  HookMessage,
  HookOutcome,
  HookRunner,
  HookSubject,
  HookTrace,
} from './hook-chain.ts'
import type { HookDirection } from './hook-definition.ts'
import { HookRun } from './hook-run.ts'
import type { HookStep, HookUse } from './hook-step.ts'
import { failedStep } from './judge.ts'

/** Which messages a chain is for. */
export interface ChainPlace {
  readonly server: string
  readonly method: string
  readonly direction: HookDirection
}

/** Changing hooks one after the other, then all that only look, side by side, on what became of it. */
export class CompiledChain implements HookChain {
  readonly empty = false
  readonly #place: ChainPlace
  readonly #clock: Clock
  readonly #deadlines: Deadlines
  readonly #changing: readonly CompiledHook[]
  readonly #observing: readonly CompiledHook[]

  constructor(hooks: readonly CompiledHook[], place: ChainPlace, clock: Clock) {
    this.#place = place
    this.#clock = clock
    this.#deadlines = deadlinesOf(clock)
    this.#changing = hooks
      .filter(({ mutate }) => mutate)
      .toSorted((left, right) => right.priority - left.priority)
    this.#observing = hooks.filter(({ mutate }) => !mutate)
  }

  run(subject: HookSubject, runner: HookRunner): HookOutcome | Promise<HookOutcome> {
    const isAlone = this.#changing.length === 0 && this.#observing.length === 1
    // Of several, the later ones begin when time has passed.
    const now = isAlone ? subject.now : undefined
    const use = { clock: this.#clock, deadlines: this.#deadlines, subject, runner, now }
    if (isAlone) return this.#observeAlone(use)
    if (this.#changing.length > 0) return this.#change(use)
    return this.#observe(subject.message, use, new Tally())
  }

  async #change(use: HookUse): Promise<HookOutcome> {
    const { subject } = use
    const tally = new Tally()
    let { message } = subject
    const handlers = new Set<string>()
    for (const hook of this.#changing) {
      const step = this.#start(hook, this.#matchOf(subject, message), handlers, use)
      if (step === undefined) continue
      const { trace, message: left } = await step
      tally.add(trace)
      if (trace.decision === 'block') return tally.outcome(message)
      message = left
    }
    return await this.#observe(message, use, tally)
  }

  async #observe(message: HookMessage, use: HookUse, tally: Tally): Promise<HookOutcome> {
    const match = this.#matchOf(use.subject, message)
    const handlers = new Set<string>()
    const steps: (HookStep | Promise<HookStep>)[] = []
    for (const hook of this.#observing) {
      const step = this.#start(hook, match, handlers, use)
      if (step !== undefined) steps.push(step)
    }
    // All of them are waited for, so that who is named does not depend on who is faster.
    for (const { trace } of await Promise.all(steps)) tally.add(trace)
    return tally.outcome(message)
  }

  /** One that only looks is the usual case, and has no others to be compared with. */
  #observeAlone(use: HookUse): HookOutcome | Promise<HookOutcome> {
    const { message } = use.subject
    const [hook] = this.#observing
    const match = this.#matchOf(use.subject, message)
    const step = hook && this.#begin(hook, match, use)
    if (!step) return { message, trace: [] }
    if (step !== true) return toOutcome(step.trace, message)
    return new HookRun(hook, match, use, toOutcome).start()
  }

  /** Begins what one hook has to do; `undefined` where it has nothing to do with the message. */
  #start(
    hook: CompiledHook,
    match: HookMatch,
    handlers: Set<string>,
    use: HookUse,
  ): HookStep | Promise<HookStep> | undefined {
    const step = this.#begin(hook, match, use)
    if (step !== true) return step
    if (handlers.has(hook.handler)) return undefined
    handlers.add(hook.handler)
    return new HookRun(hook, match, use, toStep).start()
  }

  /** Whether a hook is to run; what it comes to where that cannot be told. */
  #begin(hook: CompiledHook, match: HookMatch, { subject }: HookUse): true | HookStep | undefined {
    if (isIn(hook.id, subject.origin)) return undefined
    try {
      return hook.matches(match) ? true : undefined
    } catch (error) {
      return failedStep(hook, match, error)
    }
  }

  #matchOf({ name }: HookSubject, message: HookMessage): HookMatch {
    const { server, method, direction } = this.#place
    return { server, method, name, direction, message }
  }
}

function toOutcome(trace: HookTrace, message: HookMessage): HookOutcome {
  const { decision } = trace
  return decision ? { message, decision, by: trace, trace: [trace] } : { message, trace: [trace] }
}

function toStep(trace: HookTrace, message: HookMessage): HookStep {
  return { trace, message }
}

const strictness = { approve: 1, ask: 2, block: 3 } as const satisfies Record<HookDecision, number>

/** Adds up what hooks said: the strictest decision counts, and of equals the first. */
class Tally {
  readonly #trace: HookTrace[] = []
  #by: HookTrace | undefined

  add(trace: HookTrace): void {
    this.#trace.push(trace)
    if (strictnessOf(trace) > strictnessOf(this.#by)) this.#by = trace
  }

  outcome(message: HookMessage): HookOutcome {
    const by = this.#by
    const trace = this.#trace
    return by?.decision ? { message, decision: by.decision, by, trace } : { message, trace }
  }
}

function strictnessOf(trace: HookTrace | undefined): number {
  return trace?.decision ? strictness[trace.decision] : 0
}
