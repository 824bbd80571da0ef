import type { HookChain, HookMessage, HookOutcome } from '@mobius-mcp/hooks'
import { type Clock, type JsonObject, ProtocolError, toErrorObject } from '@mobius-mcp/protocol'
import { reasonOf } from './errors.ts'
import { type HookCause, isHooks } from './hook-cause.ts'
import type { HookActor } from './hook-context.ts'
import { Looking, type PassingMessage } from './looking.ts'
import type { Order } from './order.ts'
import { denied, deniedByHook } from './refusals.ts'
import { subjectOf } from './subject-of.ts'

/** Between whom a message passes, and what it must not overtake. */
export interface Passage {
  readonly cause: HookCause
  readonly server: string
  /** Of the way that the message goes. */
  readonly order: Order | undefined
  /** Of the way that its answer goes. */
  readonly answers?: Order | undefined
}

/** Lets hooks look at messages on their way, and passes on what they leave of them. */
export class HookedMessages {
  readonly actor: HookActor
  readonly clock: Clock
  readonly onLog: (server: string, line: string) => void

  constructor(actor: HookActor, clock: Clock, onLog: (server: string, line: string) => void) {
    this.actor = actor
    this.clock = clock
    this.onLog = onLog
  }

  /** What the hooks make of one message. Never rejects. */
  async run(chain: HookChain, cause: HookCause, message: PassingMessage): Promise<HookOutcome> {
    const looking = this.look(chain, cause, message)
    return looking.finish(await looking.outcome)
  }

  /** The same, of which the outcome has to be handed to `finish`. */
  look(chain: HookChain, cause: HookCause, message: PassingMessage): Looking {
    return new Looking(this, chain, cause, message)
  }

  /** Passes a notification on; one that a hook refuses is dropped, and that is logged. */
  tell(
    { cause, server, order }: Passage,
    method: string,
    params: JsonObject | undefined,
    deliver: (params: JsonObject | undefined) => void,
  ): void {
    const chain = cause.configuration.hooks.for(server, method, 'request')
    const row = isHooks(cause.origin) ? undefined : order
    if (chain.empty && !row?.busy) {
      deliver(params)
      return
    }
    const message = params === undefined ? { method } : { method, params }
    const name = subjectOf(params ?? {})
    const work = chain.empty ? undefined : this.run(chain, cause, { server, name, message })
    const release = (outcome: HookOutcome | undefined) => {
      if (outcome) checkOutcome(`${server} ${method}`, outcome)
      deliver(outcome ? outcome.message.params : params)
    }
    const passing = row ? row.pass(work, release) : Promise.resolve(work).then(release)
    passing.catch((error: unknown) => this.onLog(server, reasonOf(error)))
  }

  /** Passes a question of a server on, and its answer back. */
  async ask(
    { cause, server, order, answers }: Passage,
    method: string,
    params: JsonObject,
    send: (params: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { hooks } = cause.configuration
    const name = subjectOf(params)
    const label = `${server} ${method}`
    const pass = async <R>(
      chain: HookChain,
      row: Order | undefined,
      message: HookMessage,
      release: (message: HookMessage) => R | Promise<R>,
    ): Promise<R> => {
      const work = chain.empty
        ? { message, trace: [] }
        : this.run(chain, cause, { server, name, message })
      const finish = (outcome: HookOutcome) => release(checkOutcome(label, outcome))
      if (isHooks(cause.origin) || !row) return await finish(await work)
      return await row.pass(work, finish)
    }
    const before = hooks.for(server, method, 'request')
    let asked = params
    const answer = await pass(before, order, { method, params }, (message) => {
      asked = message.params ?? {}
      return settle(send(asked))
    })
    const after = hooks.for(server, method, 'response')
    const response: HookMessage =
      'result' in answer
        ? { method, params: asked, result: answer.result }
        : { method, params: asked, error: toErrorObject(answer.failure) }
    return await pass(after, answers, response, (message) => {
      if (message.result) return message.result
      if (message.error === response.error && 'failure' in answer) throw answer.failure
      throw toProtocolError(message)
    })
  }
}

/** The error that a message holds. */
export function toProtocolError({ method, error }: HookMessage): ProtocolError {
  if (error) return new ProtocolError(error)
  return new ProtocolError('INTERNAL_ERROR', `${method} has neither a result nor an error`)
}

/** Outside a call nobody can be asked for an approval. */
function checkOutcome(label: string, { decision, by, message }: HookOutcome): HookMessage {
  if (decision === 'block') throw deniedByHook(label, by)
  if (decision === 'ask') throw denied(label, 'a hook wants an approval, which only calls can get')
  return message
}

type Answer = { readonly result: JsonObject } | { readonly failure: unknown }

function settle(answer: Promise<JsonObject>): Promise<Answer> {
  return answer.then(
    (result) => ({ result }),
    (failure: unknown) => ({ failure }),
  )
}
