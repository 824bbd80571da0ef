import { changeMessage, ForbiddenChange } from './change-message.ts'
import type { CompiledHook } from './compiled-hook.ts'
import { describeChange } from './describe-change.ts'
import type { HookAnswer } from './hook-answer.ts'
import type { HookMatch, HookMessage, HookTrace } from './hook-chain.ts'
import type { HookStep } from './hook-step.ts'

/** What of a trace a hook's answer makes. */
export type Verdict = Omit<HookTrace, 'hook' | 'target' | 'method' | 'direction' | 'milliseconds'>

/** What an answer comes to. */
export interface Judged {
  readonly verdict?: Verdict
  /** As the hook left it. */
  readonly message: HookMessage
}

/**
 * What an answer comes to for a message.
 *
 * @throws ForbiddenChange where it would change what it may not.
 * @throws TypeError where what it would make is no message.
 */
export async function judge(
  hook: CompiledHook,
  { message, direction }: HookMatch,
  answer: HookAnswer,
): Promise<Judged> {
  const { decision, reason, systemMessage, mutated = false } = answer
  const verdict: Verdict = {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(systemMessage !== undefined && { systemMessage }),
  }
  if (decision === 'block') return { verdict, message }
  const changed = changeMessage(message, answer, direction)
  if (!hook.mutate && (changed || mutated)) throw new ForbiddenChange(mayOnlyLook)
  if (!changed) return { verdict, message }
  const change = await describeChange(changed, hook.redact)
  return { verdict: { ...verdict, change }, message: changed.message }
}

const mayOnlyLook = 'it tried to change the message, and may only look (!mutate)'

/** What a failure comes to: what nobody may do is no accident, so `onError` has no say in it. */
export function verdictOnFailure(hook: CompiledHook, error: unknown): Verdict {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof ForbiddenChange) return { decision: 'block', reason: text }
  return hook.failsOpen ? { failure: text } : { decision: 'block', failure: text }
}

/** What stands for a hook that could not be asked. */
export function failedStep(hook: CompiledHook, match: HookMatch, error: unknown): HookStep {
  const { id, target } = hook
  const { method, direction, message } = match
  const verdict = verdictOnFailure(hook, error)
  return { trace: { hook: id, target, method, direction, milliseconds: 0, ...verdict }, message }
}
