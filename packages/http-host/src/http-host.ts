import { type Clock, localPrincipal, systemClock, type Timeouts } from '@mobius-mcp/protocol'
import { Hono, type Next } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { getPath } from 'hono/utils/url'
import type { Authenticate } from './authenticate.ts'
import { Door } from './door.ts'
import { refuseModern } from './edges.ts'
import type { EventLimits } from './event-log.ts'
import { createGuard, type GuardOptions } from './guard.ts'
import { addHealthRoutes, type Check } from './health.ts'
import { IncomingRequest } from './http-request.ts'
import { IdleList } from './idle-list.ts'
import { createLegacyEdge, type Route } from './legacy-edge.ts'
import { refuse } from './refusals.ts'
import { listSessions, type SessionInfo } from './session-info.ts'
import { SessionKeeper } from './session-keeper.ts'
import type { OpenSessionStore, SessionStore } from './session-store.ts'
import { SessionTable } from './session-table.ts'
import type { HostSettings } from './settings.ts'
import { Traffic } from './traffic.ts'

const mebibyte = 1024 * 1024

export interface SessionLimits {
  /** Milliseconds after the last request until a session ends; 30 minutes by default. */
  readonly idleTimeout?: number | undefined
  /** One more ends the one that was idle for longest; 10,000 by default. */
  readonly max?: number | undefined
  /** How long a client may take to answer what it is asked. */
  readonly timeouts?: Partial<Timeouts> | undefined
}

export interface HttpHostOptions extends GuardOptions {
  /** Which handler serves a path, for whom; `undefined` for none. Asked when a session begins. */
  readonly route: Route
  /** The path at and below which MCP is served; `/mcp` by default. */
  readonly base?: string | undefined
  /** Says who is calling; by default everybody is the machine's own user. */
  readonly authenticate?: Authenticate | undefined
  /** 4 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  readonly sessions?: SessionLimits | undefined
  /**
   * Where sessions are kept, so that they live through a restart; by default they end with the
   * process. A store that cannot be opened is done without.
   */
  readonly store?: SessionStore | OpenSessionStore | undefined
  /** What is kept of a session's events for clients whose connection broke; `false` for nothing. */
  readonly events?: Partial<EventLimits> | false | undefined
  /**
   * What may wait for a reader that takes nothing for 15 s, in characters; 4 Mi by default. Sixteen
   * times as much cuts it off at once.
   */
  readonly maxQueued?: number | undefined
  /** Milliseconds of silence after which an open connection shows that it lives; 15 s by default. */
  readonly keepAlive?: number | undefined
  /** Behind `/healthz`; by default healthy. */
  readonly healthy?: Check | undefined
  /** Behind `/readyz`; by default ready until it closes. */
  readonly ready?: Check | undefined
  readonly clock?: Clock | undefined
  /** Told of what the host survives. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A running host. */
export interface HttpHost {
  /** Where more can be mounted, behind the same Host and Origin checks, outside `base`. */
  readonly app: Hono
  /** Answers any request; what every fetch runtime takes. */
  readonly fetch: Hono['fetch']
  readonly sessions: {
    readonly count: number
    list(): SessionInfo[]
  }
  /**
   * Takes no new sessions and requests, waits for the answers under way up to `deadline`
   * milliseconds (10 s by default), then ends all streams and sessions. Those that are kept in a
   * store go on in the next process.
   */
  close(options?: { deadline?: number | undefined }): Promise<void>
}

/**
 * Serves handlers as MCP over Streamable HTTP, on any fetch runtime.
 *
 * @example
 * ```ts
 * const host = createHttpHost({ route: (path) => (path === '/mcp' ? handler : undefined) })
 * serve({ fetch: host.fetch, hostname: '127.0.0.1', port: 8420 })
 * ```
 */
export function createHttpHost(options: HttpHostOptions): HttpHost {
  const settings = toSettings(options)
  const { clock, sessions, keeper, traffic, silences, ages } = settings
  const app = new Hono()
  const onFailure = (error: unknown): Response => {
    if (error instanceof HTTPException) return error.getResponse()
    settings.onError(error instanceof Error ? error : new Error(String(error)))
    return refuse('INTERNAL_ERROR', 'Internal error')
  }
  const door = createDoor(options, settings, onFailure)
  app.all('*', ({ req, env }, next) => {
    return door.answer(new IncomingRequest(req.raw, req.path, env)) ?? pass(next)
  })
  addHealthRoutes(app, { healthy: options.healthy, ready: options.ready, traffic })
  app.onError(onFailure)
  return {
    app,
    // Every call passes here: what is for MCP needs no router to be found.
    fetch(request, environment, context) {
      const path = getPath(request)
      const answer = door.leadsTo(path)
        ? door.answer(new IncomingRequest(request, path, environment))
        : undefined
      return answer ?? app.fetch(request, environment as object, context)
    },
    sessions: {
      get count() {
        return sessions.size
      },
      list: () => listSessions(sessions),
    },
    async close({ deadline = 10_000 } = {}) {
      await traffic.drain(deadline, clock)
      keeper?.release()
      sessions.close('the server is shutting down')
      silences.clear()
      ages.clear()
      await keeper?.close()
    },
  }
}

function createDoor(
  options: HttpHostOptions,
  settings: HostSettings,
  onFailure: (error: unknown) => Response,
): Door {
  return new Door({
    guard: createGuard(options),
    authenticate: options.authenticate ?? (() => localPrincipal),
    edges: { legacy: createLegacyEdge(options.route, settings), modern: refuseModern },
    base: (options.base ?? '/mcp').replace(/\/$/, ''),
    maxBodyBytes: options.maxBodyBytes ?? 4 * mebibyte,
    onFailure,
  })
}

/** Lets what is mounted besides answer. */
async function pass(next: Next): Promise<undefined> {
  await next()
}

function toSettings(options: HttpHostOptions): HostSettings {
  const { sessions = {}, keepAlive = 15_000, clock = systemClock } = options
  const { idleTimeout = 30 * 60_000, max = 10_000, timeouts } = sessions
  const limits = { maxEvents: 256, maxBytes: 4 * mebibyte, maxAge: 5 * 60_000 }
  const events = options.events === false ? undefined : { ...limits, ...options.events }
  const { store, onError = () => {} } = options
  const table = new SessionTable(clock, idleTimeout, max)
  return {
    clock,
    events,
    ages: new IdleList(clock, events?.maxAge ?? 0),
    silences: new IdleList(clock, keepAlive),
    maxQueued: options.maxQueued ?? 4 * mebibyte,
    patience: 15_000,
    sessions: table,
    keeper:
      store && new SessionKeeper({ store, clock, sessions: table, idleTimeout, events, onError }),
    traffic: new Traffic(),
    timeouts,
    onError,
  }
}
