import {
  type CallResult,
  Cancellation,
  type JsonObject,
  type Target,
  type Timed,
} from '@mobius-mcp/protocol'
import type { CompiledHook } from './compiled-hook.ts'
import type { HookCall } from './hook-chain.ts'
import type { HookUse } from './use-hook.ts'

/** One use of a hook's target, and the time it may take. */
export class HookRun implements HookCall, Timed {
  readonly hook: string
  readonly target: Target
  readonly input: JsonObject
  readonly timeout: number
  readonly cancellation: Cancellation = new Cancellation()
  readonly deadline: number
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  #reject: ((error: Error) => void) | undefined

  constructor({ id, target, timeout }: CompiledHook, input: JsonObject, now: number) {
    this.hook = id
    this.target = target
    this.input = input
    this.timeout = timeout
    this.deadline = now + timeout
  }

  /** What the target answers. Rejects when it fails, or when its time is up. */
  result({ runner, deadlines }: HookUse): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      deadlines.add(this)
      runner(this).then(resolve, reject)
    })
  }

  onDeadline(): void {
    const reason = `no answer within ${this.timeout / 1000} s`
    this.#reject?.(new Error(reason))
    this.cancellation.cancel(reason)
  }
}
