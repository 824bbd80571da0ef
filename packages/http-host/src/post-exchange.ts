import {
  errorNumbers,
  isResponse,
  type Message,
  type MessageSource,
  type Outlet,
  type Principal,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '@mobius-mcp/protocol'
import type { EventChannel } from './event-channel.ts'
import { eventHeaders } from './event-stream.ts'
import type { HostSession } from './host-session.ts'
import type { Idler } from './idle-list.ts'
import type { Reply } from './reply.ts'
import { changeKeyOf } from './session-streams.ts'

type Headers = Readonly<Record<string, string>>

const jsonHeaders: Headers = { 'content-type': 'application/json' }

/**
 * One request over HTTP, and its answer: one JSON object, or a stream of events where something was
 * said before it, or where it took so long that a proxy might lose patience.
 */
export class PostExchange implements Outlet, MessageSource, Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  readonly principal: Principal
  readonly #host: HostSession
  readonly #id: RequestId
  /** The request is the handshake: the session begins with its answer, if that is a good one. */
  readonly #opens: boolean
  #channel: EventChannel | undefined
  #reply: Reply | undefined
  #resolve: ((reply: Reply) => void) | undefined
  #done = false

  constructor(host: HostSession, principal: Principal, id: RequestId, opens = false) {
    this.#host = host
    this.principal = principal
    this.#id = id
    this.#opens = opens
  }

  get outlet(): Outlet {
    return this
  }

  /** Has the request answered. */
  run(message: RequestMessage): Reply | Promise<Reply> {
    const { settings, session } = this.#host
    this.#host.hold()
    settings.traffic.begin()
    session.receive(message, this)
    if (this.#reply) return this.#reply
    settings.silences.touch(this)
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  send(message: Message): void {
    if (this.#done) this.#host.send(message)
    else if (isResponse(message)) this.#answer(message)
    else this.#say(message)
  }

  /** The request was taken back, or the session ended under it: then its client gets to know. */
  abandon(): void {
    if (this.#done) return
    const { ending } = this.#host.session
    if (ending.cancelled) {
      const message = `The session ended before the answer came: ${String(ending.reason)}`
      const error = { code: errorNumbers.CONNECTION_CLOSED, message }
      this.#answer({ jsonrpc: '2.0', id: this.#id, error })
    } else {
      this.#finish()
      if (this.#channel) this.#channel.finish()
      // HTTP has to answer all the same; a stream may end without saying anything.
      else this.#respond(new Response(': cancelled\n\n', { headers: eventHeaders }))
    }
  }

  /** Nothing was said for so long that a proxy might cut the connection: a stream can be kept alive. */
  onIdle(): void {
    this.#openChannel()
  }

  #say(message: Exclude<Message, ResponseMessage>): void {
    const text = JSON.stringify(message)
    const channel = this.#channel ?? this.#openChannel()
    if ('id' in message) channel.ask(text, message.id)
    else channel.send(text, changeKeyOf(message))
  }

  #answer(message: ResponseMessage): void {
    const text = JSON.stringify(message)
    this.#finish()
    const opened = this.#opens && 'result' in message
    if (opened) this.#host.kept?.begin(this.#host)
    if (this.#channel) this.#channel.finish(text)
    else {
      const headers = opened ? this.#register(jsonHeaders) : jsonHeaders
      this.#respond(new Response(text, { headers }))
    }
    if (this.#opens && !opened) this.#host.close('the handshake failed')
  }

  /** The session begins: its client is told the id in a header. */
  #register(headers: Headers): Headers {
    this.#host.settings.sessions.add(this.#host)
    return { ...headers, 'mcp-session-id': this.#host.key }
  }

  #openChannel(): EventChannel {
    const channel = this.#host.streams.openChannel(this.#id)
    this.#channel = channel
    this.#host.settings.silences.remove(this)
    const stream = channel.attach()
    // Headers go first, so the session is there before it is known whether it will stay.
    if (this.#opens) stream.headers = this.#register(stream.headers)
    this.#respond(stream)
    return channel
  }

  #respond(reply: Reply): void {
    if (this.#resolve) this.#resolve(reply)
    else this.#reply = reply
  }

  #finish(): void {
    this.#done = true
    const { settings } = this.#host
    settings.silences.remove(this)
    settings.traffic.end()
    this.#host.release()
  }
}
