import {
  type CancelListener,
  type Message,
  type MessageHandler,
  MessageSession,
  type Outlet,
  type Principal,
} from '@mobius-mcp/protocol'
import type { Idler } from './idle-list.ts'
import { SessionStreams, type StreamsOwner } from './session-streams.ts'
import type { HostSettings } from './settings.ts'

/** A client's session, as HTTP has it: the conversation, who may use it, and what it streams. */
export class HostSession implements Outlet, StreamsOwner, CancelListener, Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  /** The `Mcp-Session-Id`: a secret of its client, and not how the session is known to others. */
  readonly key: string = createKey()
  readonly path: string
  readonly principal: Principal
  readonly session: MessageSession
  readonly settings: HostSettings
  readonly since: number
  #streams: SessionStreams | undefined
  /** Exchanges under way and connections open. */
  #active = 0

  constructor(path: string, principal: Principal, handler: MessageHandler, settings: HostSettings) {
    const { clock, timeouts, onError } = settings
    this.path = path
    this.principal = principal
    this.settings = settings
    this.since = clock.now()
    this.session = new MessageSession(this, handler, {
      kind: 'client',
      principal,
      clock,
      timeouts,
      onError,
    })
    this.session.ending.listen(this)
  }

  get streams(): SessionStreams {
    this.#streams ??= new SessionStreams(this)
    return this.#streams
  }

  /** Whether a request may use the session. Who is signed in counts, not with which token. */
  belongsTo(principal: Principal, path: string): boolean {
    const { id, issuer } = this.principal
    return principal.id === id && principal.issuer === issuer && path === this.path
  }

  hold(): void {
    this.#active += 1
    if (this.#active === 1) this.settings.sessions.onActive(this)
  }

  release(): void {
    this.#active -= 1
    if (this.#active === 0 && !this.session.ending.cancelled) this.settings.sessions.onIdle(this)
  }

  /** Says what belongs to no call. */
  send(message: Message): void {
    this.streams.say(message)
  }

  close(reason: string): void {
    this.session.close(reason).catch(this.settings.onError)
  }

  onCancel(): void {
    this.settings.sessions.remove(this)
    this.#streams?.close()
  }

  onIdle(): void {
    this.close('expired: no request came for too long')
  }
}

/** 128 random bits, as visible ASCII. A UUID has six fewer. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
