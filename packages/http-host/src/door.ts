import type { Principal } from '@mobius-mcp/protocol'
import { type Authenticate, type Challenge, refuseUnauthenticated } from './authenticate.ts'
import { carryStream } from './carry-stream.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import { type Edges, type Exchange, eraOf } from './edges.ts'
import { EventStream } from './event-stream.ts'
import type { Guard } from './guard.ts'
import type { IncomingRequest } from './http-request.ts'
import { readBody, refuseBrokenBody, refuseType, toMessageOrRefusal } from './read-message.ts'
import { refuse } from './refusals.ts'
import type { Reply } from './reply.ts'

export interface DoorOptions {
  readonly guard: Guard
  readonly authenticate: Authenticate
  readonly edges: Edges
  /** The path at and below which MCP is served. */
  readonly base: string
  readonly maxBodyBytes: number
  /** Answers for what was thrown on the way. */
  onFailure(error: unknown): Response
}

/** What every request passes, in this order: who may come in, and to which edge. */
export class Door {
  readonly #options: DoorOptions

  constructor(options: DoorOptions) {
    this.#options = options
  }

  /** Whether the path is one of those at which MCP is served. */
  leadsTo(path: string): boolean {
    const { base } = this.#options
    return path.startsWith(base) && (path.length === base.length || path[base.length] === '/')
  }

  /** Answers a request for MCP, turns away one that may not come in, and lets others pass by. */
  answer(request: IncomingRequest): Response | Promise<Response> | undefined {
    const refusal = this.#options.guard(request)
    return refusal ?? (this.leadsTo(request.path) ? this.#respond(request) : undefined)
  }

  /** No `await` but where there is something to wait for: every call passes here. */
  async #respond(request: IncomingRequest): Promise<Response> {
    let reading = false
    try {
      let reply: Reply | Promise<Reply> | undefined = answerWithoutCaller(request)
      if (!reply) {
        let caller = this.#options.authenticate(request)
        if (caller instanceof Promise) caller = await caller
        reply = this.#admit(request, caller)
        if (!reply) {
          reading = true
          const text = await readBody(request, this.#options.maxBodyBytes)
          reading = false
          reply = this.#dispatch(request, caller as Principal, text)
        }
      }
      if (reply instanceof Promise) reply = await reply
      const origin = request.origin
      if (origin !== undefined) allowOrigin(reply, origin)
      return reply instanceof EventStream ? carryStream(reply, request.outgoing) : reply
    } catch (error) {
      return reading ? refuseBrokenBody() : this.#options.onFailure(error)
    }
  }

  /** Answers what needs no body; `undefined` where there is one to read, of somebody who may come in. */
  #admit(
    request: IncomingRequest,
    caller: Principal | Challenge | undefined,
  ): Reply | Promise<Reply> | undefined {
    if (!caller || 'challenge' in caller) return refuseUnauthenticated(request, caller)
    if (request.method === 'POST') return refuseType(request)
    return this.#toEdge({ request, principal: caller, message: undefined })
  }

  #dispatch(
    request: IncomingRequest,
    principal: Principal,
    text: string | undefined,
  ): Reply | Promise<Reply> {
    const message = toMessageOrRefusal(text, this.#options.maxBodyBytes)
    return 'jsonrpc' in message ? this.#toEdge({ request, principal, message }) : message
  }

  #toEdge(exchange: Exchange): Reply | Promise<Reply> {
    return this.#options.edges[eraOf(exchange)](exchange)
  }
}

/** What needs no login: the questions of browsers, and methods that nobody may use. */
function answerWithoutCaller(request: IncomingRequest): Response | undefined {
  switch (request.method) {
    case 'POST':
    case 'GET':
    case 'DELETE':
      return undefined
    case 'OPTIONS':
      return answerPreflight(request)
    default:
      return refuse('WRONG_METHOD', `Expected POST, GET or DELETE, received ${request.method}.`, {
        headers: { allow: 'GET, POST, DELETE, OPTIONS' },
      })
  }
}
