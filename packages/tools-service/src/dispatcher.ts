import {
  type AuthNeededError,
  type Clock,
  isAuthNeeded,
  isProtocolError,
  type JsonObject,
} from '@mobius-mcp/protocol'
import { Authorizer } from './authorizer.ts'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'
import { reasonOf, unknownServer, wasNotExecuted } from './errors.ts'
import { HookedCalls, isAnswer } from './hooked-calls.ts'
import type { HookedMessages } from './hooked-messages.ts'
import type { Approve, CallEvent, Observe } from './options.ts'
import type { Order } from './order.ts'
import { tooDeep } from './refusals.ts'
import { mayName, type Server } from './server.ts'
import { tellLoss } from './state-loss.ts'
import { toClientError } from './to-client-error.ts'

export interface DispatcherOptions {
  readonly clock: Clock
  readonly messages: HookedMessages
  readonly maxDepth: number
  readonly approve: Approve | undefined
  readonly observe: Observe | undefined
  /** The connection that carries the call out, where there is one to the very server that it began with. */
  readyFor(call: Call): Connection | undefined
  /** The same, opened where there is none. */
  connectionFor(call: Call, server: Server): Connection | Promise<Connection>
  /** What keeps requests of a root session to one server in order. */
  outboundOf(call: Call): Order
  /** A server that was ready wants somebody to sign in. */
  onAuthNeeded(server: Server, error: AuthNeededError): void
}

/**
 * The one path of a call: depth, hooks, rules, approval, connection, server, hooks again, event.
 * Every stage goes on at once where it has nothing to wait for, and by the configuration with which
 * the call began.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #authorizer: Authorizer
  readonly #hooked: HookedCalls

  constructor(options: DispatcherOptions) {
    const { approve, messages, outboundOf } = options
    this.#options = options
    this.#authorizer = new Authorizer({ approve, send: (call) => this.#send(call) })
    this.#hooked = new HookedCalls({ messages, authorizer: this.#authorizer, outboundOf })
  }

  /** What is answered at once comes at once. Never throws. */
  dispatch(call: Call): JsonObject | Promise<JsonObject> {
    call.startedAt = call.timing?.startedAt ?? this.#options.clock.now()
    const work = this.#begin(call)
    if (!(work instanceof Promise)) return this.#endNow(call, work)
    if (!call.connection) call.hold()
    return work.then(
      (result) => this.#onResult(call, result),
      (error: unknown) => this.#onError(call, error),
    )
  }

  /** What the injected functions throw is an outcome like any other. */
  #begin(call: Call): JsonObject | Promise<JsonObject> {
    try {
      const { maxDepth } = this.#options
      if (call.depth + call.hops.length >= maxDepth) return Promise.reject(tooDeep(call, maxDepth))
      if (call.configuration.hooked) return this.#hooked.request(call)
      return this.#authorizer.authorize(call)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #endNow(call: Call, result: JsonObject): JsonObject | Promise<JsonObject> {
    try {
      return this.#onResult(call, result)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #onResult(call: Call, result: JsonObject): JsonObject | Promise<JsonObject> {
    const now = this.#options.clock.now()
    if (call.held) call.letGo()
    call.connection?.release(call, true, now)
    if (!call.configuration.hooked) return this.#succeed(call, result, now)
    const answer = this.#hooked.result(call, result)
    if (answer instanceof Promise) return this.#endLater(call, answer)
    return this.#succeed(call, answer, now)
  }

  #onError(call: Call, error: unknown): JsonObject | Promise<JsonObject> {
    if (call.held) call.letGo()
    call.connection?.release(call, false, this.#options.clock.now())
    const isHooked = call.configuration.hooked && isAnswer(call, error)
    const answer = isHooked ? this.#hooked.error(call, error) : undefined
    return answer === undefined ? this.#fail(call, error) : this.#endLater(call, answer)
  }

  async #endLater(call: Call, answer: Promise<JsonObject>): Promise<JsonObject> {
    let result: JsonObject
    try {
      result = await answer
    } catch (error) {
      return this.#fail(call, error)
    }
    return this.#succeed(call, result, this.#options.clock.now())
  }

  #succeed(call: Call, result: JsonObject, now: number): JsonObject {
    this.#end(call, now, result.isError === true ? 'failed' : 'ok', undefined)
    const { connection } = call
    return connection?.losses ? tellLoss(call, connection, result) : result
  }

  #fail(call: Call, error: unknown): never {
    this.#end(call, this.#options.clock.now(), outcomeOf(call, error), error)
    throw isAuthNeeded(error) ? toClientError(call, error) : error
  }

  #send(call: Call): JsonObject | Promise<JsonObject> {
    const ready = this.#options.readyFor(call)
    const server = ready?.server ?? call.held ?? call.configuration.server(call.server)
    if (!(server && mayName(call.origin, server))) return Promise.reject(unknownServer(call.server))
    call.limit(server.timeoutsFor(call.name))
    const told = call.tellSending()
    if (told instanceof Promise) return told.then(() => this.#pass(call, server))
    return server.gate ? this.#pass(call, server) : this.#reach(call, server, ready)
  }

  #pass(call: Call, server: Server): JsonObject | Promise<JsonObject> {
    const { gate } = server
    return gate ? gate.pass(call, () => this.#reach(call, server)) : this.#reach(call, server)
  }

  #reach(call: Call, server: Server, ready?: Connection): JsonObject | Promise<JsonObject> {
    const connection = ready ?? this.#options.connectionFor(call, server)
    if (connection instanceof Promise) return this.#reachLater(connection, call, server)
    // Who is always there forgets nothing.
    return server.instant ? connection.request(call) : this.#sendOver(connection, call, server)
  }

  async #reachLater(
    connection: Promise<Connection>,
    call: Call,
    server: Server,
  ): Promise<JsonObject> {
    return await this.#sendOver(await connection, call, server)
  }

  async #sendOver(connection: Connection, call: Call, server: Server): Promise<JsonObject> {
    try {
      return await connection.request(call)
    } catch (error) {
      if (isAuthNeeded(error)) this.#options.onAuthNeeded(server, error)
      if (!wasNotExecuted(error)) throw error
    }
    // The server had forgotten the session and did nothing: once more, in a new one.
    connection.release(call, false, this.#options.clock.now())
    await connection.lose()
    const fresh = await this.#options.connectionFor(call, server)
    return await fresh.request(call)
  }

  #end(call: Call, now: number, outcome: CallEvent['outcome'], error: unknown): void {
    if (call.timing) call.timing.endedAt = now
    this.#options.observe?.({
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
      hooks: call.trace,
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
