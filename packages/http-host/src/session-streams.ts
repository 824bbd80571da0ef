import {
  errorNumbers,
  isResponse,
  type Message,
  type MessageSession,
  type NotificationMessage,
  ProtocolError,
  type RequestId,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { type ChannelOwner, EventChannel } from './event-channel.ts'
import { type EventPosition, parseEventId, requestSuffix, toFrame } from './event-id.ts'
import { EventLog, type LoggedEvent } from './event-log.ts'
import { eventHeaders } from './event-stream.ts'
import type { KeptSession } from './kept-session.ts'
import type { Reply } from './reply.ts'
import type { HostSettings } from './settings.ts'

/** Whose streams they are. */
export interface StreamsOwner {
  readonly settings: HostSettings
  readonly session: MessageSession
  readonly kept: KeptSession | undefined
  hold(): void
  release(): void
}

/** The channel of what belongs to no call. */
const listeningNumber = 0

/** Changes kept for a client that is not listening; one more drops the oldest. */
const maxBacklog = 256

const brokenOff =
  'The server was restarted before the answer came: nobody knows whether the call was carried out. Find out before you make it again.'

/** All that a session streams. Made when it first does. */
export class SessionStreams implements ChannelOwner {
  readonly settings: HostSettings
  readonly session: MessageSession
  readonly kept: KeptSession | undefined
  readonly #owner: StreamsOwner
  #listening: EventChannel | undefined
  #running: Map<number, EventChannel> | undefined
  #count: number
  #log: EventLog | undefined
  #backlog: Map<string, string> | undefined

  constructor(owner: StreamsOwner) {
    this.settings = owner.settings
    this.session = owner.session
    this.kept = owner.kept
    this.#count = owner.kept?.numbersFrom ?? listeningNumber
    this.#owner = owner
  }

  get log(): EventLog | undefined {
    const { events, clock, ages } = this.settings
    if (!events || this.session.ending.cancelled) return undefined
    this.#log ??= new EventLog(events, clock, ages)
    return this.#log
  }

  hold(): void {
    this.#owner.hold()
  }

  release(): void {
    this.#owner.release()
  }

  /** Takes what was said in an earlier process. */
  restore(events: readonly LoggedEvent[]): void {
    this.log?.restore(events)
  }

  /** Opens the channel of a call that has something to say before its answer. */
  openChannel(request: RequestId): EventChannel {
    this.#count += 1
    const channel = new EventChannel(this.#count, this, { request })
    this.#running ??= new Map()
    this.#running.set(channel.number, channel)
    return channel
  }

  onFinished(channel: EventChannel): void {
    this.#running?.delete(channel.number)
  }

  /** Answers a client that comes back for the rest of a call; `undefined` if there is none known. */
  resume(lastEventId: string | undefined): Reply | undefined {
    const position = this.log && parseEventId(lastEventId)
    return position && position.channel !== listeningNumber ? this.#resume(position) : undefined
  }

  /**
   * Answers a client that listens for what belongs to no call. The newest listener wins, for the
   * older one may be dead without our knowing.
   */
  listen(lastEventId: string | undefined): Reply {
    const position = this.log && parseEventId(lastEventId)
    const sequence = this.kept?.numbersFrom
    this.#listening ??= new EventChannel(listeningNumber, this, { sequence })
    const after = position?.channel === listeningNumber ? position.sequence : undefined
    const stream = this.#listening.attach(after)
    for (const [key, text] of this.#backlog ?? []) this.#listening.send(text, key)
    this.#backlog = undefined
    return stream
  }

  /**
   * Says what belongs to no call. Without a listener, changes wait for one, and the rest is kept
   * only for a listener that comes back.
   *
   * @throws ProtocolError `CONNECTION_CLOSED` for a request, where nobody listens.
   */
  say(message: Message): void {
    if (isResponse(message)) return
    const text = JSON.stringify(message)
    if ('id' in message) this.#ask(message, text)
    else this.#notify(message, text)
  }

  /** Ends what belongs to no call. Each running call ends its own channel. */
  close(): void {
    this.#listening?.finish()
    this.#log?.clear()
    this.#backlog = undefined
  }

  #resume(position: EventPosition): Reply | undefined {
    const { channel, sequence } = position
    if (channel > this.#count) return undefined
    const running = this.#running?.get(channel)
    if (running) return running.attach(sequence)
    this.#breakOff(position)
    const rest = this.log?.after(channel, sequence) ?? []
    const frames = rest.map((event) => event.frame).join('')
    if (frames !== '') return new Response(frames, { headers: eventHeaders })
    // Nothing more will come: to a client that reconnects by itself, 204 says to stop. Without it
    // the v1 SDK's client holds a stream for ever after each call that answered with an error.
    const over = this.log?.end(channel) !== undefined || this.#listening?.attached === true
    return over ? new Response(null, { status: 204 }) : undefined
  }

  /** A call of an earlier process that had no answer will have none: its client is told. */
  #breakOff({ channel, sequence, request }: EventPosition): void {
    const { log, kept } = this
    if (!(log && kept) || channel > kept.numbersFrom || request === undefined) return
    if (log.end(channel)) return
    const last = log.after(channel, sequence).at(-1)?.sequence ?? sequence
    const error = { code: errorNumbers.CONNECTION_CLOSED, message: brokenOff }
    const id = `${channel}-${last + 1}${requestSuffix(request)}`
    const frame = toFrame(id, JSON.stringify({ jsonrpc: '2.0', id: request, error }))
    log.append({ channel, sequence: last + 1, frame, final: true })
  }

  #ask(message: RequestMessage, text: string): void {
    if (!this.#listening?.attached) {
      throw new ProtocolError(
        'CONNECTION_CLOSED',
        `${message.method} could not be sent: it belongs to no call, and the client has no stream open to be asked on. Ask during one of its calls, or have the client open one (GET).`,
      )
    }
    this.#listening.ask(text, message.id)
  }

  #notify(message: NotificationMessage, text: string): void {
    const key = changeKeyOf(message)
    if (this.#listening?.attached) this.#listening.send(text, key)
    else if (key !== undefined) this.#keep(key, text)
    else if (this.log) this.#listening?.send(text)
  }

  #keep(key: string, text: string): void {
    this.#backlog ??= new Map()
    this.#backlog.set(key, text)
    if (this.#backlog.size <= maxBacklog) return
    for (const oldest of this.#backlog.keys()) {
      this.#backlog.delete(oldest)
      return
    }
  }
}

/** What a notification says has changed: of two that say the same, one is enough. */
export function changeKeyOf(message: NotificationMessage): string | undefined {
  const { method, params } = message
  if (method.endsWith('/list_changed')) return method
  if (method === 'notifications/resources/updated') return `${method} ${String(params?.uri)}`
  return undefined
}
