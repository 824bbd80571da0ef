import type {
  JsonObject,
  MessageContext,
  MessageHandler,
  NotificationMessage,
  RequestMessage,
  Session,
} from '@mobius-mcp/protocol'
import { createMemoryState, type State } from '@mobius-mcp/state'
import { createHttpHost, type HttpHost, type HttpHostOptions } from '../src/index.ts'
import { ManualClock } from './manual-clock.ts'
import { createHandler, settle, TestClient, type Tool } from './test-client.ts'

/** One process after the other, or beside it, over one state. */
export interface Place {
  readonly state: State
  /** Everything that was written to the sessions, in order. */
  readonly writes: string[]
  start(tools?: Record<string, Tool>, options?: Partial<HttpHostOptions>): Process
}

export interface Process {
  readonly host: HttpHost
  readonly clock: ManualClock
  readonly errors: Error[]
  /** What the handler heard beside calls, as `method params`. */
  readonly heard: string[]
  /** The sessions that it heard of. */
  readonly met: Set<Session>
  /** Answers a method in place of the handler. */
  readonly answers: Map<string, (params: JsonObject, context: MessageContext) => unknown>
}

/** A process is killed by not being used any more: what it has not written by then is gone. */
export function createPlace(): Place {
  const state = createMemoryState()
  const writes: string[] = []
  let count = 0
  return {
    state,
    writes,
    start(tools = {}, options = {}) {
      count += 1
      const process = createProcess(tools)
      const host = createHttpHost({
        route: (path) => (path === '/mcp' ? process.handler : undefined),
        clock: process.clock,
        onError: (error) => process.errors.push(error),
        store: { sessions: watch(state, writes), events: state.events, owner: `process ${count}` },
        ...options,
      })
      return { ...process, host }
    },
  }
}

function createProcess(tools: Record<string, Tool>) {
  const clock = new ManualClock()
  const errors: Error[] = []
  const heard: string[] = []
  const met = new Set<Session>()
  const answers: Process['answers'] = new Map()
  const inner = createHandler(tools)
  const handler: MessageHandler = {
    onMessage(message, context) {
      const { method, params = {} } = message
      met.add(context.session)
      if (method !== 'tools/call') heard.push(describe(message))
      const answer = answers.get(method)
      if (answer) return answer(params, context)
      return settings.includes(method) ? {} : inner.onMessage(message, context)
    },
  }
  return { clock, errors, heard, met, answers, handler }
}

const settings = ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']

function describe({ method, params }: RequestMessage | NotificationMessage): string {
  if (method === 'initialize') {
    const client = params?.clientInfo as JsonObject
    return `initialize ${String(client.name)} ${String(params?.protocolVersion)}`
  }
  return params === undefined ? method : `${method} ${JSON.stringify(params)}`
}

/** Tells what is written, and leaves out how. */
function watch({ sessions }: State, writes: string[]): State['sessions'] {
  return {
    ...sessions,
    save(session) {
      writes.push('save')
      return sessions.save(session)
    },
    update(key, owner, change) {
      writes.push(`update ${JSON.stringify(change)}`)
      return sessions.update(key, owner, change)
    },
    claim(key, owner, now) {
      writes.push('claim')
      return sessions.claim(key, owner, now)
    },
    touch(keys, owner, seenAt) {
      writes.push(`touch ${keys.length}`)
      return sessions.touch(keys, owner, seenAt)
    },
    delete(key) {
      writes.push('delete')
      return sessions.delete(key)
    },
  }
}

/** Lets a process write what it has to, and then kills it. */
export async function kill({ clock }: Process): Promise<void> {
  clock.advance(100)
  await settle()
}

/** A tool that says who it is called by. */
export const who = {
  who: ({ session }: MessageContext): object => ({ session: session.id, peer: session.peer }),
}

export function request(method: string, params: object, id: string | number = 1): JsonObject {
  return { jsonrpc: '2.0', id, method, params }
}

export function subscribe(uri: string): JsonObject {
  return request('resources/subscribe', { uri })
}

/** A client that wants to hear of two resources, and of warnings. */
export async function openFollower({ host }: Process): Promise<TestClient> {
  const client = await TestClient.open(host)
  for (const message of [
    subscribe('x://a'),
    subscribe('x://b'),
    request('logging/setLevel', { level: 'warning' }),
  ]) {
    await (await client.post(message)).text()
  }
  return client
}
