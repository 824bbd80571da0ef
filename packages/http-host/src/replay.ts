import {
  errorNumbers,
  isObject,
  isResponse,
  type JsonObject,
  type Message,
  type MessageSource,
  type Outlet,
  type Principal,
  type ResponseMessage,
} from '@mobius-mcp/protocol'
import type { SessionRecord } from '@mobius-mcp/state'
import type { HostSession } from './host-session.ts'
import type { KeptSession } from './kept-session.ts'
import { pause } from './pause.ts'

/** A conversation that goes on: the handler has not heard yet what the client had said to an earlier process. */
export interface Replay {
  readonly host: HostSession
  readonly kept: KeptSession
  readonly record: SessionRecord
  /** Whose request brought the session back. */
  readonly principal: Principal
}

/**
 * Tells the handler what the client had said: its handshake, its log level, its subscriptions. Any
 * handler goes on from there, and needs to know nothing of restarts. Resolves when the client's next
 * message may follow; what takes longer goes on beside it.
 */
export async function replay(replay: Replay): Promise<void> {
  const { host, kept, record, principal } = replay
  const { session } = host
  const { protocolVersion, initialize, logLevel } = record
  const answer = await say(replay, 'initialize', { ...initialize, protocolVersion })
  // What was agreed on stands, whatever would be agreed on now.
  if (session.peer) session.adopt({ ...session.peer, protocolVersion })
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const
  kept.replay(() => session.receive(initialized, { principal }))
  if (logLevel !== undefined) void say(replay, 'logging/setLevel', { level: logLevel })
  void subscribeAgain(replay)
  tellListsChanged(host, answer)
}

/** Nobody knows what the client was shown, nor what has changed since. */
function tellListsChanged({ session }: HostSession, answer: ResponseMessage | undefined): void {
  const capabilities = answer && 'result' in answer ? answer.result.capabilities : undefined
  if (!isObject(capabilities)) return
  for (const list of ['tools', 'prompts', 'resources']) {
    const offered = capabilities[list]
    if (isObject(offered) && offered.listChanged === true) {
      session.notify(`notifications/${list}/list_changed`)
    }
  }
}

const firstPause = 1000
const longestPause = 60_000

/** Until all of it has worked, or was refused, or nobody is there to be told any more. */
async function subscribeAgain(replay: Replay): Promise<void> {
  const { kept, host } = replay
  const { ending, clock } = host.session
  let open = kept.subscriptions
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    const settled = await Promise.all(open.map((uri) => settle(replay, uri)))
    open = open.filter((_, index) => !settled[index])
    if (open.length === 0) return
    await pause(clock, wait, ending)
    if (ending.cancelled) return
  }
}

/** Errors that would come again. */
const refusals: ReadonlySet<number> = new Set([
  errorNumbers.INVALID_PARAMS,
  errorNumbers.METHOD_NOT_FOUND,
  errorNumbers.RESOURCE_NOT_FOUND,
  errorNumbers.DENIED,
])

/** Whether there is nothing left to do for one subscription. */
async function settle(replay: Replay, uri: string): Promise<boolean> {
  const { kept, host } = replay
  if (!kept.isSubscribed(uri)) return true
  const answer = await say(replay, 'resources/subscribe', { uri })
  if (!answer) return true
  if ('error' in answer) {
    if (!refusals.has(answer.error.code)) return false
    kept.unsubscribe(uri)
  } else if (!kept.isSubscribed(uri)) {
    // The client has thought better of it meanwhile.
    await say(replay, 'resources/unsubscribe', { uri })
    return true
  }
  // Nobody knows what has changed since. Reading it again shows, also that it is not there any more.
  host.session.notify('notifications/resources/updated', { uri })
  return true
}

/** Says something in the client's place. `undefined` where the session ends before there is an answer. */
function say(
  { host, kept, principal }: Replay,
  method: string,
  params: JsonObject,
): Promise<ResponseMessage | undefined> {
  return new Promise((resolve) => {
    const source = new ReplaySource(host, principal, resolve)
    // An id that no client has: it would take it for its own.
    const id = `mobius-replay-${crypto.randomUUID()}`
    kept.replay(() => host.session.receive({ jsonrpc: '2.0', id, method, params }, source))
  })
}

/** Takes the answer; what else is said meanwhile is for the client. */
class ReplaySource implements MessageSource, Outlet {
  readonly principal: Principal
  readonly #host: HostSession
  readonly #resolve: (answer: ResponseMessage | undefined) => void

  constructor(
    host: HostSession,
    principal: Principal,
    resolve: (answer: ResponseMessage | undefined) => void,
  ) {
    this.#host = host
    this.principal = principal
    this.#resolve = resolve
  }

  get outlet(): Outlet {
    return this
  }

  send(message: Message): void {
    if (isResponse(message)) this.#resolve(message)
    else this.#host.send(message)
  }

  abandon(): void {
    this.#resolve(undefined)
  }
}
