import type { HookChain, HookRunner, Hooks } from '@mobius-mcp/hooks'
import { type Clock, isProtocolError, type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'
import { reasonOf, wasNotExecuted } from './errors.ts'
import { HookContext } from './hook-context.ts'
import type { Approve, Authorize, CallEvent, Decision, Observe } from './options.ts'
import { subjectOf } from './subject-of.ts'

export interface DispatcherOptions {
  readonly clock: Clock
  readonly hooks: Hooks
  readonly maxDepth: number
  readonly authorize: Authorize | undefined
  readonly approve: Approve | undefined
  readonly observe: Observe | undefined
  /** The connection that carries the call out: at once where there is one. */
  connectionFor(call: Call): Connection | Promise<Connection>
}

/**
 * The one path of a call: depth, hooks, rules, approval, connection, server, hooks again, event.
 * Every stage goes on at once where it has nothing to wait for.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  dispatch(call: Call): Promise<JsonObject> {
    call.startedAt = this.#options.clock.now()
    return this.#begin(call).then(
      (result) => {
        this.#end(call, result.isError === true ? 'failed' : 'ok', undefined)
        return result
      },
      (error: unknown) => {
        this.#end(call, outcomeOf(call, error), error)
        throw error
      },
    )
  }

  /** What the injected functions throw is an outcome like any other. */
  #begin(call: Call): Promise<JsonObject> {
    try {
      return this.#run(call)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #run(call: Call): Promise<JsonObject> {
    const { maxDepth, hooks } = this.#options
    if (call.depth + call.hops.length >= maxDepth) return Promise.reject(tooDeep(call, maxDepth))
    const before = hooks.for(call.server, call.method, 'request')
    const after = hooks.for(call.server, call.method, 'response')
    if (before.empty && after.empty) return this.#authorize(call)
    return this.#hooked(call, before, after)
  }

  async #hooked(call: Call, before: HookChain, after: HookChain): Promise<JsonObject> {
    const { caller } = new HookContext(call)
    const runner: HookRunner = (target, input) => caller.call(target, input)
    let decision: 'approve' | 'ask' | undefined
    if (!before.empty) {
      const outcome = await before.run(call.params, runner)
      if (outcome.decision === 'block') throw denied(call, outcome.reason ?? 'a hook blocked it')
      // Rules have the tool's name, not the parameters': the two must not part.
      if (outcome.value !== call.params && subjectOf(outcome.value) !== subjectOf(call.params)) {
        throw denied(call, 'a hook tried to change what is called')
      }
      call.params = outcome.value
      decision = outcome.decision
    }
    const result = await this.#authorize(call, decision)
    if (after.empty) return result
    const outcome = await after.run(result, runner)
    if (outcome.decision === 'block')
      throw denied(call, outcome.reason ?? 'a hook blocked its result')
    return outcome.value
  }

  #authorize(call: Call, hook?: 'approve' | 'ask'): Promise<JsonObject> {
    const { authorize } = this.#options
    if (!authorize) return hook === 'ask' ? this.#ask(call, { decision: 'ask' }) : this.#send(call)
    const decision = authorize(call)
    if (decision instanceof Promise) return this.#decideLater(call, decision, hook)
    return this.#decide(call, decision, hook)
  }

  async #decideLater(
    call: Call,
    decision: Promise<Decision>,
    hook: 'approve' | 'ask' | undefined,
  ): Promise<JsonObject> {
    return await this.#decide(call, await decision, hook)
  }

  #decide(
    call: Call,
    { decision, rule }: Decision,
    hook: 'approve' | 'ask' | undefined,
  ): Promise<JsonObject> {
    call.rule = rule
    if (decision === 'deny') {
      return Promise.reject(denied(call, rule === undefined ? 'no rule allows it' : `rule ${rule}`))
    }
    // A hook's approval skips an ask, never a deny.
    const ask = decision === 'ask' ? hook !== 'approve' : hook === 'ask'
    return ask ? this.#ask(call, { decision: 'ask', rule }) : this.#send(call)
  }

  async #ask(call: Call, decision: Decision): Promise<JsonObject> {
    const { approve } = this.#options
    if (!approve) throw denied(call, 'it needs an approval, and nobody is there to give one')
    const { approved, by = 'whoever may approve', reason } = await approve(call, decision)
    if (!approved) throw denied(call, reason === undefined ? `${by} said no` : `${by}: ${reason}`)
    return await this.#send(call)
  }

  #send(call: Call): Promise<JsonObject> {
    const connection = this.#options.connectionFor(call)
    if (connection instanceof Promise) return this.#sendLater(connection, call)
    // Who is always there forgets nothing.
    return connection.server.instant ? connection.request(call) : this.#sendOver(connection, call)
  }

  async #sendLater(connection: Promise<Connection>, call: Call): Promise<JsonObject> {
    return await this.#sendOver(await connection, call)
  }

  async #sendOver(connection: Connection, call: Call): Promise<JsonObject> {
    try {
      return await connection.request(call)
    } catch (error) {
      if (!wasNotExecuted(error)) throw error
    }
    // The server had forgotten the session and did nothing: once more, in a new one.
    connection.release(call, false, this.#options.clock.now())
    await connection.lose()
    const fresh = await this.#options.connectionFor(call)
    return await fresh.request(call)
  }

  #end(call: Call, outcome: CallEvent['outcome'], error: unknown): void {
    const { observe, clock } = this.#options
    const now = clock.now()
    call.connection?.release(call, outcome === 'ok' || outcome === 'failed', now)
    if (!observe) return
    observe({
      version: 1,
      id: call.id,
      parent: call.parent,
      root: call.root.id,
      origin: call.origin,
      depth: call.depth,
      principal: call.principal.id,
      issuer: call.principal.issuer,
      server: call.server,
      method: call.method,
      name: call.name,
      startedAt: call.startedAt,
      milliseconds: now - call.startedAt,
      outcome,
      error: error === undefined ? undefined : toEventError(error),
      rule: call.rule,
    })
  }
}

function outcomeOf(call: Call, error: unknown): CallEvent['outcome'] {
  if (isProtocolError(error) && error.code === 'DENIED') return 'denied'
  // Whoever leaves takes its calls back: that the connections end with it is nobody's error.
  const takenBack = isProtocolError(error) && error.code === 'REQUEST_CANCELLED'
  return takenBack || call.root.ending.cancelled ? 'cancelled' : 'error'
}

function toEventError(error: unknown): { code: number; message: string } {
  const code = isProtocolError(error) ? error.number : -32603
  return { code, message: reasonOf(error) }
}

function denied(call: Call, reason: string): ProtocolError {
  return new ProtocolError('DENIED', `${call.label} was refused: ${reason}`)
}

function tooDeep(call: Call, maxDepth: number): ProtocolError {
  const loop = call.hops.length > 0 ? ' A server here probably leads back to this gateway.' : ''
  return new ProtocolError(
    'CALL_LOOP',
    `${call.label} was refused: the chain of calls that led to it is ${maxDepth} long.${loop}`,
  )
}
