import type { HookMessage, HookOutcome } from '@mobius-mcp/hooks'
import { isAuthNeeded, isProtocolError, type JsonObject, toErrorObject } from '@mobius-mcp/protocol'
import type { Authorizer, HookSays } from './authorizer.ts'
import type { Call } from './call.ts'
import { isHooks } from './hook-cause.ts'
import { showEffects } from './hook-effects.ts'
import { type HookedMessages, toProtocolError } from './hooked-messages.ts'
import type { Order } from './order.ts'
import { deniedByHook, takenBack } from './refusals.ts'

export interface HookedCallsOptions {
  readonly messages: HookedMessages
  readonly authorizer: Authorizer
  /** What keeps requests of a root session to one server in order. */
  outboundOf(call: Call): Order
}

/** The hooks before a call and after it, for configurations that have any. */
export class HookedCalls {
  readonly #options: HookedCallsOptions

  constructor(options: HookedCallsOptions) {
    this.#options = options
  }

  /** Hooks, then rules, and so on. Never overtakes an earlier request that hooks still look at. */
  request(call: Call): JsonObject | Promise<JsonObject> {
    const { messages, authorizer, outboundOf } = this.#options
    const { server, method, name, params } = call
    const chain = call.configuration.hooks.for(server, method, 'request')
    const order = isHooks(call.origin) ? undefined : outboundOf(call)
    if (chain.empty) {
      if (!order?.busy) return authorizer.authorize(call)
      return order.pass(undefined, () => authorizer.authorize(call))
    }
    const message = { method, params }
    const looking = messages.look(chain, call, { server, name, message, now: call.startedAt })
    const release = (outcome: HookOutcome) => {
      const says = takeOutcome(call, looking.finish(outcome))
      call.params = outcome.message.params ?? {}
      return authorizer.authorize(call, says)
    }
    const { outcome } = looking
    if (!(outcome instanceof Promise || order?.busy)) return release(outcome)
    return order ? order.pass(outcome, release) : Promise.resolve(outcome).then(release)
  }

  /** What the caller gets in place of a result: the same, at once, where no hook has to do with it. */
  result(call: Call, result: JsonObject): JsonObject | Promise<JsonObject> {
    const { server, method, params } = call
    const chain = call.configuration.hooks.for(server, method, 'response')
    const order = inboundOf(call)
    if (chain.empty && !order?.busy) return show(call, result)
    const message: HookMessage = { method, params, result }
    return this.#answer(call, message, order, () => show(call, result))
  }

  /** The same for an error that came from the server, or instead of its answer; `undefined` where it stands. */
  error(call: Call, error: unknown): Promise<JsonObject> | undefined {
    const { server, method, params } = call
    const chain = call.configuration.hooks.for(server, method, 'response')
    const order = inboundOf(call)
    if (chain.empty && !order?.busy) return undefined
    const message: HookMessage = { method, params, error: toErrorObject(error) }
    return this.#answer(call, message, order, () => {
      throw error
    })
  }

  async #answer(
    call: Call,
    message: HookMessage,
    order: Order | undefined,
    unchanged: () => JsonObject,
  ): Promise<JsonObject> {
    const { messages, authorizer } = this.#options
    const { server, method, name } = call
    const chain = call.configuration.hooks.for(server, method, 'response')
    const outcome: HookOutcome | Promise<HookOutcome> = chain.empty
      ? { message, trace: [] }
      : messages.run(chain, call, { server, name, message })
    const release = (hooked: HookOutcome): JsonObject | Promise<JsonObject> => {
      const says = takeOutcome(call, hooked)
      const { message: left } = hooked
      const finish = () => {
        if (left === message) return unchanged()
        if (left.result) return show(call, left.result)
        throw toProtocolError(left)
      }
      if (says?.decision !== 'ask') return finish()
      return authorizer.approve(call, { decision: 'ask', reason: says.reason }).then(finish)
    }
    return await (order ? order.pass(outcome, release) : release(await outcome))
  }
}

/** Whether response hooks have to do with how a call ended: not where it never left, was taken back, or has to wait for a sign-in. */
export function isAnswer(call: Call, error: unknown): boolean {
  if (!call.sent || call.cancellation.cancelled || isAuthNeeded(error)) return false
  return !(isProtocolError(error) && error.code === 'REQUEST_CANCELLED')
}

/** What hooks call must not wait for what waits for the hooks. */
function inboundOf(call: Call): Order | undefined {
  return isHooks(call.origin) ? undefined : call.connection?.inbound
}

/** @throws ProtocolError `DENIED` where a hook blocks, `REQUEST_CANCELLED` where nobody waits any more. */
function takeOutcome(call: Call, { decision, by }: HookOutcome): HookSays | undefined {
  const { cancellation, signal } = call
  if (cancellation.cancelled) throw takenBack(call.label, cancellation.reason)
  if (signal?.aborted) throw takenBack(call.label, signal.reason)
  if (decision === 'block') throw deniedByHook(call.label, by)
  return decision && { decision, reason: by?.reason }
}

function show(call: Call, result: JsonObject): JsonObject {
  return call.trace ? showEffects(call, result, call.trace) : result
}
