import {
  legacyVersions,
  type Message,
  type MessageHandler,
  type Principal,
  type RequestId,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { type Edge, type Exchange, refuseVersion } from './edges.ts'
import { createSessionKey, HostSession, type SessionStart } from './host-session.ts'
import type { IncomingRequest } from './http-request.ts'
import { KeptSession } from './kept-session.ts'
import { acceptsBoth, acceptsEvents } from './media-types.ts'
import { PostExchange } from './post-exchange.ts'
import { quote, refuse, refuseForNow, refuseFull } from './refusals.ts'
import type { Reply } from './reply.ts'
import { refuseUnusable, SessionFinder } from './session-finder.ts'
import type { SessionKeeper } from './session-keeper.ts'
import { digestOf } from './session-store.ts'
import type { HostSettings } from './settings.ts'

/** Decides what is served where: `undefined` for nothing. */
export type Route = (path: string, principal: Principal) => MessageHandler | undefined

/** The revisions up to 2025-11-25 over Streamable HTTP: a handshake, a session, streams. */
export function createLegacyEdge(route: Route, settings: HostSettings): Edge {
  const edge = new LegacyEdge(route, settings)
  return (exchange) => edge.answer(exchange)
}

const versions = new Set<string>(legacyVersions)

class LegacyEdge {
  readonly #route: Route
  readonly #settings: HostSettings
  /** Where sessions live through a restart. */
  readonly #finder: SessionFinder | undefined

  constructor(route: Route, settings: HostSettings) {
    this.#route = route
    this.#settings = settings
    const { keeper } = settings
    this.#finder = keeper && new SessionFinder(route, settings, keeper)
  }

  answer(exchange: Exchange): Reply | Promise<Reply> {
    const { request, message } = exchange
    const version = request.protocolVersion
    if (version !== undefined && !versions.has(version)) return refuseVersion(version, message)
    const session = this.#find(exchange)
    if (session || !this.#finder || request.sessionId === undefined) {
      return this.#reply(exchange, session)
    }
    return this.#replyLater(exchange, this.#finder)
  }

  #reply(exchange: Exchange, session: HostSession | undefined): Reply | Promise<Reply> {
    const { request, message } = exchange
    if (message) return this.#post(exchange, message, session)
    return request.method === 'GET' ? this.#get(exchange, session) : this.#delete(exchange, session)
  }

  /** The session may be one of an earlier process. */
  async #replyLater(exchange: Exchange, finder: SessionFinder): Promise<Reply> {
    const id = requestIdOf(exchange)
    const ends = exchange.request.method === 'DELETE'
    if (!ends && this.#settings.traffic.closing) return refuseClosing(id)
    const found = await (ends ? finder.end(exchange) : finder.find(exchange))
    if (found === 'ended') return new Response(null, { status: 204 })
    if (found !== 'here' && found !== 'none') return refuseUnusable(found, id)
    return await this.#reply(exchange, this.#find(exchange))
  }

  #post(
    exchange: Exchange,
    message: Message,
    session: HostSession | undefined,
  ): Reply | Promise<Reply> {
    const { request, principal } = exchange
    const accept = request.accept
    if (accept !== undefined && !acceptsBoth(accept)) {
      return refuseAccept('application/json and text/event-stream', accept)
    }
    const asks = 'method' in message && 'id' in message
    if (asks && this.#settings.traffic.closing) return refuseClosing(message.id)
    if (asks && message.method === 'initialize') return this.#initialize(exchange, message, session)
    if (!session) return this.#refuseSession(exchange)
    if (asks) return new PostExchange(session, principal, message.id).run(message)
    session.hold()
    session.session.receive(message, { principal })
    session.release()
    return new Response(null, { status: 202 })
  }

  #initialize(
    { request, principal }: Exchange,
    message: RequestMessage,
    session: HostSession | undefined,
  ): Reply | Promise<Reply> {
    const settings = this.#settings
    if (session) return refuseAgain(message.id)
    const handler = this.#route(request.path, principal)
    if (!handler) return refuseEndpoint(request)
    const start = { path: request.path, principal, handler, settings }
    const { keeper } = settings
    return keeper ? this.#beginKept(start, keeper, message) : this.#begin(start, message)
  }

  #begin(start: SessionStart, message: RequestMessage): Reply | Promise<Reply> {
    const { sessions } = this.#settings
    if (!sessions.makeRoom()) return refuseFull(message.id)
    const session = new HostSession(start)
    sessions.begin(session)
    return new PostExchange(session, start.principal, message.id, true).run(message)
  }

  /** A client that knows its session's id finds it again, whatever happens next. */
  async #beginKept(
    start: SessionStart,
    keeper: SessionKeeper,
    message: RequestMessage,
  ): Promise<Reply> {
    const key = createSessionKey()
    const kept = new KeptSession(keeper, await digestOf(key), start.handler)
    const reply = await this.#begin({ ...start, key, kept }, message)
    await keeper.settled
    return reply
  }

  #get(exchange: Exchange, session: HostSession | undefined): Reply {
    const { request } = exchange
    const accept = request.accept
    if (accept !== undefined && !acceptsEvents(accept)) {
      return refuseAccept('text/event-stream', accept)
    }
    if (!session) return this.#refuseSession(exchange)
    const lastEventId = request.header('last-event-id')
    const resumed = session.streams.resume(lastEventId)
    if (resumed) return resumed
    return this.#settings.traffic.closing ? refuseClosing() : session.streams.listen(lastEventId)
  }

  #delete(exchange: Exchange, session: HostSession | undefined): Response {
    if (!session) return this.#refuseSession(exchange)
    session.close('its client ended it')
    return new Response(null, { status: 204 })
  }

  #find({ request, principal }: Exchange): HostSession | undefined {
    const key = request.sessionId
    const session = key === undefined ? undefined : this.#settings.sessions.find(key)
    return session?.belongsTo(principal, request.path) ? session : undefined
  }

  /** Somebody else's session and no session are told apart by nobody. */
  #refuseSession(exchange: Exchange): Response {
    const { request, principal } = exchange
    const id = requestIdOf(exchange)
    if (request.sessionId !== undefined) {
      return refuse(
        'NO_SUCH_SESSION',
        'Session not found: it has ended or expired, or was never there. Begin a new one: send "initialize" without the header Mcp-Session-Id.',
        { id },
      )
    }
    if (!this.#route(request.path, principal)) return refuseEndpoint(request)
    return refuse(
      'SESSION_REQUIRED',
      'Expected the header Mcp-Session-Id, received none. Begin with "initialize", and send the id that its answer carries with every request.',
      { id },
    )
  }
}

function requestIdOf({ message }: Exchange): RequestId | undefined {
  return message && 'method' in message && 'id' in message ? message.id : undefined
}

function refuseAgain(id: RequestId): Response {
  return refuse(
    'INVALID_REQUEST',
    'This session is initialized already. To begin another one, send "initialize" without the header Mcp-Session-Id.',
    { id },
  )
}

function refuseClosing(id?: RequestId): Response {
  return refuseForNow('The server is shutting down and takes no new requests.', id)
}

function refuseAccept(wanted: string, accept: string): Response {
  return refuse(
    'NOT_ACCEPTABLE',
    `Not acceptable: expected an Accept header that names ${wanted}, received ${quote(accept)}.`,
  )
}

function refuseEndpoint(request: IncomingRequest): Response {
  return refuse('NO_SUCH_ENDPOINT', `Nothing is served at ${quote(request.path)}.`)
}
