import { describeDecision, type HookTrace } from '@mobius-mcp/hooks'
import { ProtocolError } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import { reasonOf } from './errors.ts'

/** What a rule, or a person, does not allow. */
export function denied(label: string, reason: string): ProtocolError {
  return new ProtocolError('DENIED', `${label} was refused: ${reason}`)
}

/** What a hook does not let pass. Whoever asked learns which hook, what it called, and why. */
export function deniedByHook(label: string, by: HookTrace | undefined): ProtocolError {
  if (!by) return denied(label, 'a hook blocked it')
  const { hook, target, reason, failure } = by
  return new ProtocolError('DENIED', `${label} was refused: ${describeDecision(by)}`, {
    data: { hook, target: `${target.server}/${target.tool}`, reason: failure ?? reason ?? '' },
  })
}

/** What whoever made the call does not want any more. */
export function takenBack(label: string, reason: unknown): ProtocolError {
  const text = `${label} was cancelled while it waited: ${reasonOf(reason)}`
  return new ProtocolError('REQUEST_CANCELLED', text)
}

export function tooDeep(call: Call, maxDepth: number): ProtocolError {
  const loop = call.hops.length > 0 ? ' A server here probably leads back to this gateway.' : ''
  return new ProtocolError(
    'CALL_LOOP',
    `${call.label} was refused: the chain of calls that led to it is ${maxDepth} long.${loop}`,
  )
}
