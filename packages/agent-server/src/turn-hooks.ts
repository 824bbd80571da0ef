import type { JsonObject } from '@mobius-mcp/protocol'
import { fireHooks, type HookCallContext, type LifeOutcome, type LifePoint } from './life-hooks.ts'
import { StepContext } from './step-context.ts'
import type { Turn } from './turn.ts'

/** Fires the hooks of a point in a turn's life. */
export function fireTurnHooks<T extends JsonObject>(
  turn: Turn,
  point: LifePoint,
  value: T,
): Promise<LifeOutcome<T>> {
  const { host, hooks, session, cancellation, definition } = turn
  const { call } = new StepContext(turn, point)
  const subject = { agent: definition.name, session, call, cancellation }
  const { hookPrincipal: principal } = host
  const callerFor = (context: HookCallContext) => host.callerFor(context)
  return fireHooks({ hooks, principal, callerFor }, subject, point, value)
}
