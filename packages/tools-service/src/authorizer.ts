import type { JsonObject } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import type { Approve, Decision } from './options.ts'
import { denied } from './refusals.ts'
import { Withdrawal } from './withdrawal.ts'

/** What hooks want of the rules. */
export interface HookSays {
  readonly decision: 'approve' | 'ask'
  readonly reason: string | undefined
}

export interface AuthorizerOptions {
  readonly approve: Approve | undefined
  /** Carries out what may go ahead. */
  send(call: Call): JsonObject | Promise<JsonObject>
}

/** The rules, and whoever may approve. Goes on at once where it has nothing to wait for. */
export class Authorizer {
  readonly #options: AuthorizerOptions

  constructor(options: AuthorizerOptions) {
    this.#options = options
  }

  authorize(call: Call, hook?: HookSays): JsonObject | Promise<JsonObject> {
    const { authorize } = call.configuration
    if (!authorize) {
      if (hook?.decision !== 'ask') return this.#options.send(call)
      return this.#ask(call, { decision: 'ask', reason: hook.reason })
    }
    const decision = authorize(call)
    if (decision instanceof Promise) return this.#decideLater(call, decision, hook)
    return this.#decide(call, decision, hook)
  }

  /** Asks whoever may approve. @throws ProtocolError `DENIED` where nobody does. */
  async approve(call: Call, decision: Decision): Promise<void> {
    const { approve } = this.#options
    if (!approve) throw denied(call.label, nobody(decision))
    const withdrawal = new Withdrawal(call)
    const { cancellation } = withdrawal
    try {
      const {
        approved,
        by = 'whoever may approve',
        reason,
      } = await approve({
        call,
        decision,
        cancellation,
      })
      if (cancellation.cancelled) throw withdrawal.error
      if (approved) return
      throw denied(call.label, reason === undefined ? `${by} said no` : `${by}: ${reason}`)
    } finally {
      withdrawal.stop()
    }
  }

  async #decideLater(
    call: Call,
    decision: Promise<Decision>,
    hook: HookSays | undefined,
  ): Promise<JsonObject> {
    return await this.#decide(call, await decision, hook)
  }

  #decide(
    call: Call,
    { decision, rule, reason }: Decision,
    hook: HookSays | undefined,
  ): JsonObject | Promise<JsonObject> {
    call.rule = rule
    if (decision === 'deny') {
      return Promise.reject(denied(call.label, whyDenied(rule, reason)))
    }
    // A hook's approval skips an ask, never a deny.
    const ask = decision === 'ask' ? hook?.decision !== 'approve' : hook?.decision === 'ask'
    if (!ask) return this.#options.send(call)
    return this.#ask(call, { decision: 'ask', rule, reason: hook?.reason ?? reason })
  }

  async #ask(call: Call, decision: Decision): Promise<JsonObject> {
    await this.approve(call, decision)
    return await this.#options.send(call)
  }
}

function whyDenied(rule: string | undefined, reason: string | undefined): string {
  if (rule === undefined) return reason ?? 'no rule allows it'
  return reason === undefined ? `rule ${rule}` : `rule ${rule}: ${reason}`
}

function nobody({ reason }: Decision): string {
  const why = reason === undefined ? '' : ` (${reason})`
  return `it needs an approval${why}, and nobody is there to give one`
}
