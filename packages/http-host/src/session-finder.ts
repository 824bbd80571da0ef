import type { MessageHandler, Principal, RequestId } from '@mobius-mcp/protocol'
import type { SessionRecord } from '@mobius-mcp/state'
import type { Exchange } from './edges.ts'
import type { LoggedEvent } from './event-log.ts'
import { HostSession } from './host-session.ts'
import { KeptSession } from './kept-session.ts'
import type { Route } from './legacy-edge.ts'
import { pause } from './pause.ts'
import { refuseForNow, refuseFull } from './refusals.ts'
import { replay } from './replay.ts'
import type { SessionKeeper } from './session-keeper.ts'
import { digestOf, type SessionStore } from './session-store.ts'
import type { HostSettings } from './settings.ts'

/** Why a session cannot be used now, though it may be later. */
export type Unusable = 'held' | 'full' | 'unreadable'

/** What came of looking for a session: it is in the table now, or there is none that is the requester's. */
export type Found = 'here' | 'none' | Unusable

/** A session of an earlier process, and who wants to go on with it. */
interface Finding {
  readonly store: SessionStore
  readonly record: SessionRecord
  /** The id that the client shows. */
  readonly sessionId: string
  readonly principal: Principal
}

/** The answer to a request whose session cannot be used now. */
export function refuseUnusable(why: Unusable, id: RequestId | undefined): Response {
  switch (why) {
    case 'full':
      return refuseFull(id)
    case 'held':
      return refuseForNow('Another process serves this session, and has not let it go.', id)
    case 'unreadable':
      return refuseForNow('It could not be looked up whether this session exists.', id)
  }
}

/** How often it is looked whether another process has let a session go, in milliseconds. */
const lookEvery = 1000

/** Brings back sessions that began in an earlier process, when their clients show their ids. */
export class SessionFinder {
  readonly #route: Route
  readonly #settings: HostSettings
  readonly #keeper: SessionKeeper
  /** Those that are being brought back, by their keys. */
  readonly #opening = new Map<string, Promise<Found>>()

  constructor(route: Route, settings: HostSettings, keeper: SessionKeeper) {
    this.#route = route
    this.#settings = settings
    this.#keeper = keeper
  }

  /** Brings back the session whose id a request shows, if it is the requester's. */
  async find(exchange: Exchange): Promise<Found> {
    try {
      const finding = await this.#look(exchange)
      return finding ? await this.#openOnce(finding) : 'none'
    } catch (error) {
      return this.#onFailure(error)
    }
  }

  /** Ends it without bringing it back, unless that is done already. */
  async end(exchange: Exchange): Promise<'ended' | Found> {
    try {
      const finding = await this.#look(exchange)
      if (!finding) return 'none'
      const opening = this.#opening.get(finding.record.key)
      if (opening !== undefined) return await opening
      if (this.#settings.sessions.find(finding.sessionId)) return 'here'
      this.#keeper.forget(finding.record.key)
      await this.#keeper.settled
      return 'ended'
    } catch (error) {
      return this.#onFailure(error)
    }
  }

  async #look({ request, principal }: Exchange): Promise<Finding | undefined> {
    const { sessionId, path } = request
    const { clock, sessions } = this.#settings
    const store = await this.#keeper.store
    if (!store || sessionId === undefined || sessions.find(sessionId)) return undefined
    const key = await digestOf(sessionId)
    const record = await store.sessions.get(key)
    if (!(record && isTheirs(record, principal, path))) return undefined
    if (record.seenAt > clock.now() - this.#keeper.idleTimeout) {
      return { store, record, sessionId, principal }
    }
    this.#keeper.forget(key)
    return undefined
  }

  #openOnce(finding: Finding): Promise<Found> {
    const { key } = finding.record
    let opening = this.#opening.get(key)
    if (!opening) {
      opening = this.#open(finding).finally(() => this.#opening.delete(key))
      this.#opening.set(key, opening)
    }
    return opening
  }

  async #open(finding: Finding): Promise<Found> {
    const { record, principal, sessionId } = finding
    const { sessions } = this.#settings
    if (sessions.find(sessionId)) return 'here'
    const handler = this.#route(record.path, principal)
    if (!handler) return 'none'
    const claimed = await this.#claim(finding)
    if (claimed !== 'ours') return claimed
    const events = await readEvents(finding, this.#settings.events?.maxEvents ?? 0)
    if (!sessions.makeRoom()) return 'full'
    return await this.#resume(finding, handler, events)
  }

  /** Takes up the conversation. */
  async #resume(
    { record, principal, sessionId }: Finding,
    handler: MessageHandler,
    events: readonly LoggedEvent[],
  ): Promise<Found> {
    const { path, id, createdAt: since } = record
    const { sessions } = this.#settings
    const kept = new KeptSession(this.#keeper, record.key, handler, record)
    const host = new HostSession({
      path,
      principal,
      handler,
      settings: this.#settings,
      key: sessionId,
      kept,
      id,
      since,
    })
    sessions.begin(host)
    host.hold()
    kept.resume(host)
    if (events.length > 0) host.streams.restore(events)
    await replay({ host, kept, record, principal })
    if (host.session.ending.cancelled) return 'none'
    sessions.add(host)
    host.release()
    return 'here'
  }

  /** Takes the session over, as soon as its owner does not live any more. */
  async #claim({ store, record }: Finding): Promise<'ours' | 'held' | 'none'> {
    const { clock, traffic } = this.#settings
    const { sessions, owner } = store
    let expected = Number.POSITIVE_INFINITY
    for (;;) {
      const claim = await sessions.claim(record.key, owner, clock.now())
      if (claim.kind === 'claimed') return 'ours'
      if (claim.kind === 'unknown') return 'none'
      // A lease that was prolonged is that of a process that lives.
      if (claim.until > expected || traffic.closing) return 'held'
      expected = claim.until
      await pause(clock, Math.min(lookEvery, Math.max(1, claim.until - clock.now())))
    }
  }

  #onFailure(error: unknown): 'unreadable' {
    this.#settings.onError(error instanceof Error ? error : new Error(String(error)))
    return 'unreadable'
  }
}

async function readEvents({ store, record }: Finding, max: number): Promise<LoggedEvent[]> {
  if (max === 0) return []
  const channels = await store.events.channels(record.key)
  const events = await Promise.all(
    channels.map(({ channel }) => store.events.after(record.key, channel, 0, max)),
  )
  return events
    .flat()
    .map(({ channel, sequence, data: frame, final, at: time }) => ({
      channel,
      sequence,
      frame,
      final,
      time,
    }))
    .sort((one, other) => one.time - other.time)
}

function isTheirs({ principal, path }: SessionRecord, who: Principal, where: string): boolean {
  return principal.id === who.id && principal.issuer === who.issuer && path === where
}
