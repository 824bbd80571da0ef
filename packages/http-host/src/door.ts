import type { Message, Principal } from '@mobius-mcp/protocol'
import { type Authenticate, refuseUnauthenticated } from './authenticate.ts'
import { carryStream } from './carry-stream.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import { type Edges, eraOf } from './edges.ts'
import { EventStream } from './event-stream.ts'
import type { Guard } from './guard.ts'
import type { IncomingRequest } from './http-request.ts'
import { readMessage } from './read-message.ts'
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

  /** One function, and no `await` but where there is something to wait for: every call passes here. */
  async #respond(request: IncomingRequest): Promise<Response> {
    const { authenticate, maxBodyBytes, onFailure } = this.#options
    try {
      let reply: Reply | Promise<Reply> | undefined = answerWithoutCaller(request)
      if (!reply) {
        let caller = authenticate(request)
        if (caller instanceof Promise) caller = await caller
        if (!caller || 'challenge' in caller) reply = refuseUnauthenticated(request, caller)
        else {
          const posted = request.method === 'POST'
          const body = posted ? await readMessage(request, maxBodyBytes) : undefined
          reply = this.#dispatch(request, caller, body)
        }
      }
      if (reply instanceof Promise) reply = await reply
      const origin = request.header('origin')
      if (origin !== undefined) allowOrigin(reply, origin)
      return reply instanceof EventStream ? carryStream(reply, request.outgoing) : reply
    } catch (error) {
      return onFailure(error)
    }
  }

  #dispatch(
    request: IncomingRequest,
    principal: Principal,
    message: Message | Response | undefined,
  ): Reply | Promise<Reply> {
    if (message && !('jsonrpc' in message)) return message
    const exchange = { request, principal, message }
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
