import {
  legacyVersions,
  type Message,
  type MessageHandler,
  type Principal,
  type RequestId,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { type Edge, type Exchange, refuseVersion } from './edges.ts'
import { HostSession } from './host-session.ts'
import type { IncomingRequest } from './http-request.ts'
import { acceptsBoth, acceptsEvents } from './media-types.ts'
import { PostExchange } from './post-exchange.ts'
import { quote, refuse } from './refusals.ts'
import type { Reply } from './reply.ts'
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

  constructor(route: Route, settings: HostSettings) {
    this.#route = route
    this.#settings = settings
  }

  answer(exchange: Exchange): Reply | Promise<Reply> {
    const { request, message } = exchange
    const version = request.protocolVersion
    if (version !== undefined && !versions.has(version)) return refuseVersion(version, message)
    if (message) return this.#post(exchange, message)
    return request.method === 'GET' ? this.#get(exchange) : this.#delete(exchange)
  }

  #post(exchange: Exchange, message: Message): Reply | Promise<Reply> {
    const { request, principal } = exchange
    const accept = request.accept
    if (accept !== undefined && !acceptsBoth(accept)) {
      return refuseAccept('application/json and text/event-stream', accept)
    }
    const asks = 'method' in message && 'id' in message
    if (asks && this.#settings.traffic.closing) return refuseClosing(message.id)
    const session = this.#find(exchange)
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
    if (session) {
      return refuse(
        'INVALID_REQUEST',
        'This session is initialized already. To begin another one, send "initialize" without the header Mcp-Session-Id.',
        { id: message.id },
      )
    }
    const handler = this.#route(request.path, principal)
    if (!handler) return refuseEndpoint(request)
    if (!this.#settings.sessions.makeRoom()) {
      return refuse(
        'UNAVAILABLE',
        'No session can be opened: the limit http.sessions.max is reached, and all of them are in use. Try again later, or have the limit raised.',
        { id: message.id, headers: retryLater },
      )
    }
    const fresh = new HostSession(request.path, principal, handler, this.#settings)
    this.#settings.sessions.begin(fresh)
    return new PostExchange(fresh, principal, message.id, true).run(message)
  }

  #get(exchange: Exchange): Reply {
    const { request } = exchange
    const accept = request.accept
    if (accept !== undefined && !acceptsEvents(accept)) {
      return refuseAccept('text/event-stream', accept)
    }
    const session = this.#find(exchange)
    if (!session) return this.#refuseSession(exchange)
    const lastEventId = request.header('last-event-id')
    const resumed = session.streams.resume(lastEventId)
    if (resumed) return resumed
    return this.#settings.traffic.closing ? refuseClosing() : session.streams.listen(lastEventId)
  }

  #delete(exchange: Exchange): Response {
    const session = this.#find(exchange)
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
  #refuseSession({ request, principal, message }: Exchange): Response {
    const id = message && 'method' in message && 'id' in message ? message.id : undefined
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

const retryLater = { 'retry-after': '5' }

function refuseClosing(id?: RequestId): Response {
  return refuse(
    'UNAVAILABLE',
    'The server is shutting down and takes no new requests. Try again in a moment.',
    { id, headers: retryLater },
  )
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
