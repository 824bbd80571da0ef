import {
  type CancelListener,
  type Cancellation,
  type Clock,
  initialize,
  isAuthNeeded,
  type JsonObject,
  latestLegacyVersion,
  legacyVersions,
  type Principal,
  type Session,
} from '@mobius-mcp/protocol'
import type { AsideHost } from './aside.ts'
import { Connection, type ConnectionHost } from './connection.ts'
import { declaredCapabilities } from './declared-capabilities.ts'
import type { HookCause } from './hook-cause.ts'
import { HookedSession } from './hooked-session.ts'
import { hopsKey } from './hops.ts'
import { Order } from './order.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'
import { type ChangeListener, UpstreamClient } from './upstream-client.ts'

export interface OpeningOptions {
  readonly clock: Clock
  readonly info: JsonObject
  readonly startTimeout: number
  readonly changes: ChangeListener
  readonly aside: AsideHost
  readonly host: ConnectionHost
  /** Cancelled when the service ends. */
  readonly closing: Cancellation
}

/** What is opened, for whom. */
export interface Opening {
  readonly root: Root
  readonly server: Server
  readonly principal: Principal
  /** The gateways that whoever needs it came through. */
  readonly hops: readonly string[]
  /** What it is opened for, as its hooks see it. */
  readonly cause: HookCause
  readonly key: string
}

/** Makes one attempt to open a conversation with a server and to shake hands with it. */
export async function openConnection(
  options: OpeningOptions,
  { root, server, principal, hops, cause, key }: Opening,
): Promise<Connection> {
  const own = server.sharing === 'session'
  const attempt = new Attempt(options, own ? root.session.ending : undefined)
  const { aside, changes } = options
  const inbound = new Order()
  const client = new UpstreamClient({
    host: aside,
    changes,
    server: server.name,
    root: own ? root : undefined,
    cause,
    inbound,
  })
  let session: Session | undefined
  try {
    const parent = own ? root.session : undefined
    const { signal } = attempt
    session = await attempt.wait(server.open({ client, parent, principal, signal }))
    // Whoever builds or reaches the server learns from the same signal that it is over.
    session.ending.listen(attempt)
    const declared = own
      ? declaredCapabilities(root.session, cause.configuration.sample !== undefined)
      : {}
    const passage = { cause, server: server.name, order: new Order(), answers: inbound }
    const { hooked } = cause.configuration
    const shaking = hooked ? new HookedSession(session, aside.messages, passage) : session
    const peer = await initialize(shaking, {
      info: own ? (root.session.peer?.info ?? options.info) : options.info,
      capabilities: declared,
      protocolVersion: own ? versionOf(root.session) : latestLegacyVersion,
      signal,
      label: 'initialize',
      meta: { [hopsKey]: [...hops, options.host.instance] },
    })
    const connection = new Connection(options.host, {
      server,
      key,
      session,
      peer,
      capabilities: declared,
      inbound,
      idleTimeout: idleTimeoutOf(server, root),
    })
    if (own) connection.roots.add(root)
    client.connection = connection
    return connection
  } catch (error) {
    const isOurs = attempt.signal.aborted && !isAuthNeeded(error)
    const reason = isOurs ? attempt.signal.reason : error
    await session?.close('it did not start')
    throw reason
  } finally {
    attempt.settle()
  }
}

/** What may end an attempt before it has succeeded, and what its signal says afterwards. */
class Attempt implements CancelListener {
  readonly #options: OpeningOptions
  readonly #root: Cancellation | undefined
  readonly #abort = new AbortController()
  readonly #timer: unknown
  readonly #onEnd: CancelListener = {
    onCancel: (reason) => this.#giveUp(String(reason)),
  }

  constructor(options: OpeningOptions, root: Cancellation | undefined) {
    this.#options = options
    this.#root = root
    const { clock, startTimeout } = options
    const late = `it did not answer within ${startTimeout / 1000} s`
    this.#timer = clock.set(() => this.#giveUp(late), startTimeout)
    root?.listen(this.#onEnd)
    options.closing.listen(this.#onEnd)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The session has ended. */
  onCancel(reason: unknown): void {
    this.#giveUp(String(reason))
  }

  /** Gives up waiting when the signal says so; a session that comes later is closed. */
  wait(work: Promise<Session>): Promise<Session> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      work
        .then(async (session) => {
          resolve(session)
          if (signal.aborted) await session.close('it started too late')
        })
        .catch(reject)
        .finally(() => signal.removeEventListener('abort', onAbort))
    })
  }

  settle(): void {
    this.#options.clock.clear(this.#timer)
    this.#root?.unlisten(this.#onEnd)
    this.#options.closing.unlisten(this.#onEnd)
  }

  #giveUp(reason: string): void {
    this.#abort.abort(new Error(reason))
  }
}

/** Nobody says when headless work has ended, so what it used is closed when idle. */
const headlessIdleTimeout = 30 * 60_000

function idleTimeoutOf(server: Server, root: Root): number {
  if (root.session.kind !== 'headless') return server.idleTimeout
  return Math.min(server.idleTimeout, headlessIdleTimeout)
}

function versionOf(root: Session): string {
  const version = root.peer?.protocolVersion ?? ''
  const known: readonly string[] = legacyVersions
  return known.includes(version) ? version : latestLegacyVersion
}
