import {
  type CallResult,
  Cancellation,
  type JsonObject,
  type Target,
  type Timed,
} from '@mobius-mcp/protocol'
import type { CompiledHook } from './compiled-hook.ts'
import { type HookAnswer, noOpinion, parseHookAnswer } from './hook-answer.ts'
import type { HookCall, HookMatch, HookMessage, HookTrace } from './hook-chain.ts'
import type { HookUse } from './hook-step.ts'
import { type Judged, judge, verdictOnFailure } from './judge.ts'

/** One use of a hook's target, the time it may take, and what it comes to. One object, since it is made for each message. */
export class HookRun<T> implements HookCall, Timed {
  readonly input: JsonObject
  readonly cancellation: Cancellation = new Cancellation()
  readonly startedAt: number
  endedAt: number | undefined = undefined
  readonly deadline: number
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  readonly #hook: CompiledHook
  readonly #match: HookMatch
  readonly #use: HookUse
  readonly #finish: (trace: HookTrace, message: HookMessage) => T
  #resolve: ((end: T | Promise<T>) => void) | undefined

  /** `finish` says what is made of it in the end. */
  constructor(
    hook: CompiledHook,
    match: HookMatch,
    use: HookUse,
    finish: (trace: HookTrace, message: HookMessage) => T,
  ) {
    this.input = inputOf(hook, match, use)
    this.startedAt = use.now ?? use.clock.now()
    this.deadline = this.startedAt + hook.timeout
    this.#hook = hook
    this.#match = match
    this.#use = use
    this.#finish = finish
  }

  get hook(): string {
    return this.#hook.id
  }

  get target(): Target {
    return this.#hook.target
  }

  get timeout(): number {
    return this.#hook.timeout
  }

  /** Calls the target and judges what it answers. Never rejects. */
  start(): T | Promise<T> {
    try {
      const answer = this.#use.runner(this)
      return answer instanceof Promise ? this.#await(answer) : this.#judge(answer)
    } catch (error) {
      return this.#toFailure(error)
    }
  }

  #await(answer: Promise<CallResult>): Promise<T> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#use.deadlines.add(this)
      answer.then(
        (result) => this.#onResult(result),
        (error: unknown) => this.#onFailure(error),
      )
    })
  }

  onDeadline(): void {
    const reason = `no answer within ${this.timeout / 1000} s`
    this.#onFailure(new Error(reason))
    this.cancellation.cancel(reason)
  }

  #onResult(result: CallResult): void {
    if (!this.#resolve) return
    try {
      this.#end(this.#judge(result))
    } catch (error) {
      this.#onFailure(error)
    }
  }

  #judge(result: CallResult): T | Promise<T> {
    const answer = parseHookAnswer(result)
    // Most have nothing to say, so that goes without detours.
    return answer === noOpinion ? this.#toEnd(this.#match) : this.#judgeLater(answer)
  }

  async #judgeLater(answer: HookAnswer): Promise<T> {
    try {
      return this.#toEnd(await judge(this.#hook, this.#match, answer))
    } catch (error) {
      return this.#toFailure(error)
    }
  }

  #onFailure(error: unknown): void {
    this.#end(this.#toFailure(error))
  }

  /** Once: who is late is not heard any more. */
  #end(end: T | Promise<T>): void {
    this.#use.deadlines.remove(this)
    this.#resolve?.(end)
    this.#resolve = undefined
  }

  #toFailure(error: unknown): T {
    return this.#toEnd({
      verdict: verdictOnFailure(this.#hook, error),
      message: this.#match.message,
    })
  }

  #toEnd({ verdict, message }: Judged): T {
    const { id: hook, target } = this.#hook
    const { method, direction } = this.#match
    const milliseconds = (this.endedAt ?? this.#use.clock.now()) - this.startedAt
    const base: HookTrace = { hook, target, method, direction, milliseconds }
    return this.#finish(verdict ? { ...base, ...verdict } : base, message)
  }
}

function inputOf(hook: CompiledHook, match: HookMatch, { subject }: HookUse): JsonObject {
  const { method: point, direction, server, name, message } = match
  const { call } = subject
  return call
    ? { ...hook.with, point, direction, server, name, message, call }
    : { ...hook.with, point, direction, server, name, message }
}
