import { type CallInfo, type Origin, type Principal, ProtocolError } from '@mobius-mcp/protocol'

/** The scope that may approve, change rules, add servers and reload. */
export const operatorScope = 'operator'

/** A call's origin, and the gateways that it came through, where that is known. */
export interface CallOrigin {
  readonly origin: Origin
  readonly hops?: readonly string[] | undefined
}

/** Who asks for something, through which calls; every `MessageContext` is one. */
export interface Asker {
  readonly principal: Principal
  readonly call: CallOrigin | CallInfo
}

/**
 * True when an agent, hook, workflow, task or script made the call or led to it, so that it could
 * approve what it does itself. True also for what came through another gateway, or this one again:
 * what led to it there cannot be known.
 */
export function isSelfApproving(call: CallOrigin | CallInfo): boolean {
  return describeMaker(call) !== undefined
}

/**
 * Refuses an action unless an operator asks for it with their own hands.
 *
 * @throws ProtocolError `DENIED`, saying what is missing and how to get it.
 */
export function requireOperator({ principal, call }: Asker, action: string): void {
  requireOwnHands(call, action)
  if (principal.scopes.includes(operatorScope)) return
  const scopes = principal.scopes.map((scope) => JSON.stringify(scope)).join(', ')
  const has = scopes === '' ? 'has no scope' : `has only ${scopes}`
  throw refused(
    action,
    `it needs the scope "${operatorScope}", and ${JSON.stringify(principal.id)} ${has}. Open the address that \`mobius serve\` printed, with its one-time token; use the \`mobius\` command on that machine; or use a key whose scopes name "${operatorScope}"`,
  )
}

/**
 * Refuses an action that no call may ask for on its own account, e.g. the answer to a question.
 *
 * @throws ProtocolError `DENIED`, saying what made the call.
 */
export function requireOwnHands(call: CallOrigin | CallInfo, action: string): void {
  const maker = describeMaker(call)
  if (maker === undefined) return
  throw refused(
    action,
    `the call was made by ${maker}, and nobody approves themselves. A person has to do it, as a client of this gateway`,
  )
}

function describeMaker(call: CallOrigin | CallInfo): string | undefined {
  for (let origin: Origin | undefined = call.origin; origin; origin = origin.cause) {
    if (origin.kind === 'client') continue
    return origin.name === undefined
      ? `${articles[origin.kind]} ${origin.kind}`
      : `the ${origin.kind} ${JSON.stringify(origin.name)}`
  }
  const throughGateway = 'hops' in call && call.hops !== undefined && call.hops.length > 0
  return throughGateway ? 'something behind another gateway' : undefined
}

const articles = { agent: 'an', hook: 'a', workflow: 'a', task: 'a', script: 'a' } as const

function refused(action: string, reason: string): ProtocolError {
  return new ProtocolError('DENIED', `${action} was refused: ${reason}.`)
}
