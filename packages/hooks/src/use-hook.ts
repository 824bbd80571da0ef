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

/** What an answer comes to. */
interface Judged {
  readonly verdict?: Verdict
  readonly message: HookMessage
}

/** Asks one hook about a message. Never rejects. Most have nothing to say, so that goes without detours. */
export function useHook(hook: CompiledHook, match: HookMatch, use: HookUse): Promise<HookStep> {
  const { clock, deadlines } = use
  const startedAt = clock.now()
  const run = new HookRun(hook, inputOf(hook, match, use.subject), startedAt)
  const finish = (judged: Judged): HookStep => {
    const milliseconds = clock.now() - startedAt
    const { method, direction } = match
    const base = { hook: hook.id, target: hook.target, method, direction, milliseconds }
    const { verdict, message } = judged
    return { trace: verdict ? { ...base, ...verdict } : base, message }
  }
  const fail = (error: unknown): HookStep => {
    deadlines.remove(run)
    return finish({ verdict: verdictOnFailure(hook, error), message: match.message })
  }
  return run.result(use).then((result) => {
    deadlines.remove(run)
    try {
      const answer = parseHookAnswer(result)
      if (answer === noOpinion) return finish(match)
      return judge(hook, match, answer).then(finish, fail)
    } catch (error) {
      return fail(error)
    }
  }, fail)
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

async function judge(hook: CompiledHook, match: HookMatch, answer: HookAnswer): Promise<Judged> {
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
