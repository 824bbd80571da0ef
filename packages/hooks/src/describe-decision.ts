import { targetText } from './compiled-hook.ts'
import type { HookTrace } from './hook-chain.ts'

/** Which hook decided and why, as a person reads it: `hook policy (guard/check): it holds a key`. */
export function describeDecision({ hook, target, reason, failure }: HookTrace): string {
  const named = `hook ${hook} (${targetText(target)})`
  if (failure !== undefined) return `${named} failed: ${failure}`
  return reason === undefined ? `${named}, which gave no reason` : `${named}: ${reason}`
}
