import {
  type CancelListener,
  type Message,
  type MessageHandler,
  MessageSession,
  type Outlet,
  type Principal,
} from '@mobius-mcp/protocol'
import type { Idler } from './idle-list.ts'
import type { KeptSession } from './kept-session.ts'
import { SessionStreams, type StreamsOwner } from './session-streams.ts'
import type { HostSettings } from './settings.ts'

export interface SessionStart {
  readonly path: string
  readonly principal: Principal
  readonly handler: MessageHandler
  readonly settings: HostSettings
  /** The `Mcp-Session-Id`; a new one by default. */
  readonly key?: string | undefined
  /** Where it lives through a restart: this stands before the handler. */
  readonly kept?: KeptSession | undefined
  /** How handlers knew it in an earlier process. */
  readonly id?: string | undefined
  /** When it began, where that was in an earlier process. */
  readonly since?: number | undefined
}

/** A client's session, as HTTP has it: the conversation, who may use it, and what it streams. */
export class HostSession implements Outlet, StreamsOwner, CancelListener, Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  /** The `Mcp-Session-Id`: a secret of its client, and not how the session is known to others. */
  readonly key: string
  readonly path: string
  readonly principal: Principal
  readonly session: MessageSession
  readonly settings: HostSettings
  readonly since: number
  readonly kept: KeptSession | undefined
  #streams: SessionStreams | undefined
  /** Exchanges under way and connections open. */
  #active = 0

  constructor(start: SessionStart) {
    const { path, principal, handler, settings, kept } = start
    const { clock, timeouts, onError } = settings
    this.key = start.key ?? createSessionKey()
    this.path = path
    this.principal = principal
    this.settings = settings
    this.since = start.since ?? clock.now()
    this.kept = kept
    this.session = new MessageSession(this, kept ?? handler, {
      id: start.id,
      kind: 'client',
      memory: kept,
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

  /** Whether anything is under way, or a client connected. */
  get active(): boolean {
    return this.#active > 0
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
    this.kept?.end()
  }

  onIdle(): void {
    this.close('expired: no request came for too long')
  }
}

/** 128 random bits, as visible ASCII. A UUID has six fewer. */
export function createSessionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
