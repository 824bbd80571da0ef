import type { Clock, Deadlines, JsonObject } from '@mobius-mcp/protocol'
import { changeMessage, ForbiddenChange } from './change-message.ts'
import type { CompiledHook } from './compiled-hook.ts'
import { describeChange } from './describe-change.ts'
import { type HookAnswer, noOpinion, parseHookAnswer } from './hook-answer.ts'
import type { HookMatch, HookMessage, HookRunner, HookSubject, HookTrace } from './hook-chain.ts'
import { HookRun } from './hook-run.ts'

/** What all hooks of a chain need to run. */
export interface HookUse {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly subject: HookSubject
  readonly runner: HookRunner
}

/** What one hook came to. */
export interface HookStep {
  readonly trace: HookTrace
  /** As it left it. */
  readonly message: HookMessage
}

/** What of a trace a hook's answer makes. */
type Verdict = Omit<HookTrace, 'hook' | 'target' | 'method' | 'direction' | 'milliseconds'>

/** Asks one hook about a message. Never rejects. */
export async function useHook(
  hook: CompiledHook,
  match: HookMatch,
  { clock, deadlines, subject, runner }: HookUse,
): Promise<HookStep> {
  const startedAt = clock.now()
  const { id, target } = hook
  const { method, direction } = match
  let { message } = match
  let verdict: Verdict | undefined
  try {
    const run = new HookRun(hook, inputOf(hook, match, subject), startedAt)
    const answer = parseHookAnswer(await run.result(runner, deadlines))
    if (answer !== noOpinion) {
      const judged = await judge(hook, match, answer)
      verdict = judged.verdict
      message = judged.message
    }
  } catch (error) {
    verdict = verdictOnFailure(hook, error)
  }
  const milliseconds = clock.now() - startedAt
  return { trace: { hook: id, target, method, direction, milliseconds, ...verdict }, message }
}

/** What stands for a hook that could not be asked. */
export function failedStep(hook: CompiledHook, match: HookMatch, error: unknown): HookStep {
  const { id, target } = hook
  const { method, direction, message } = match
  const verdict = verdictOnFailure(hook, error)
  return { trace: { hook: id, target, method, direction, milliseconds: 0, ...verdict }, message }
}

function inputOf(hook: CompiledHook, match: HookMatch, { call }: HookSubject): JsonObject {
  const { method: point, direction, server, name, message } = match
  const input: JsonObject = { ...hook.with, point, direction, server, name, message }
  if (call) input.call = call
  return input
}

async function judge(
  hook: CompiledHook,
  match: HookMatch,
  answer: HookAnswer,
): Promise<{ verdict: Verdict; message: HookMessage }> {
  const { message } = match
  const { decision, reason, systemMessage, mutated = false } = answer
  const verdict: Verdict = {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(systemMessage !== undefined && { systemMessage }),
  }
  if (decision === 'block') return { verdict, message }
  const changed = changeMessage(message, answer, match.direction)
  if (!hook.mutate && (changed || mutated)) throw new ForbiddenChange(mayOnlyLook)
  if (!changed) return { verdict, message }
  const change = await describeChange(changed, hook.redact)
  return { verdict: { ...verdict, change }, message: changed.message }
}

const mayOnlyLook = 'it tried to change the message, and may only look (!mutate)'

function verdictOnFailure(hook: CompiledHook, error: unknown): Verdict {
  const text = error instanceof Error ? error.message : String(error)
  // What nobody may do is no accident, so onError has no say in it.
  if (error instanceof ForbiddenChange) return { decision: 'block', reason: text }
  return hook.failsOpen ? { failure: text } : { decision: 'block', failure: text }
}
