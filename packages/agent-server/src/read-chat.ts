import {
  isProtocolError,
  type JsonObject,
  type MessageContext,
  ProtocolError,
} from '@mobius-mcp/protocol'
import type { Thread } from '@mobius-mcp/state'
import type { AgentsRuntime } from './agents-runtime.ts'
import type { ChatItem } from './items.ts'
import { itemContent } from './own-resources.ts'

/** In the `_meta` of what was read: where to go on reading. */
export const cursorMeta = 'mobius-mcp.dev/cursor'
/** In the `_meta` of what was read: whether there is more already. */
export const moreMeta = 'mobius-mcp.dev/more'

/** What can be read of a thread. */
export type ReadPart = 'history' | 'progress' | 'elicitation'

/** Whoever reads. */
export type Reader = Pick<MessageContext, 'session' | 'principal' | 'call'>

/** What was read, as `resources/read` answers it. */
export type ChatRead = { contents: JsonObject[]; _meta?: JsonObject }

/** Items on one page of a history. */
const pageSize = 1000
const json = 'application/json'

interface Place {
  readonly thread: string
  readonly uri: string
  readonly after?: string | undefined
}

/**
 * A thread of whoever reads. An agent sees its own conversation and those that it began, whoever it
 * acts for: what tells it to read may have come from anywhere.
 */
export async function findThread(
  agents: AgentsRuntime,
  { principal, session, call }: Reader,
  id: string,
): Promise<Thread | undefined> {
  const thread = await agents.state.threads.get(principal, id)
  if (call.origin.kind !== 'agent') return thread
  const own = session.root.id
  return thread?.id === own || thread?.parent === own ? thread : undefined
}

/** Reads a part of a thread; `undefined` where it is not there. */
export async function readPart(
  agents: AgentsRuntime,
  part: ReadPart,
  reader: Reader,
  place: Place,
): Promise<ChatRead | undefined> {
  const thread = await findThread(agents, reader, place.thread)
  if (!thread) return undefined
  switch (part) {
    case 'history':
      return await readHistory(agents, thread, place)
    case 'progress':
      return readProgress(agents, thread, place)
    case 'elicitation':
      return await readQuestions(agents, thread, place)
    default:
      return part satisfies never
  }
}

/** Reads one item of a thread. */
export async function readItem(
  agents: AgentsRuntime,
  reader: Reader,
  { thread: id, sequence, uri }: { thread: string; sequence: number; uri: string },
): Promise<ChatRead | undefined> {
  if (!Number.isSafeInteger(sequence) || sequence < 1) return undefined
  const thread = await findThread(agents, reader, id)
  if (!thread) return undefined
  const query = { after: sequence - 1, limit: 1 }
  const [item] = (await agents.state.threads.items(thread.principal, id, query)) ?? []
  if (item?.sequence !== sequence) return undefined
  return { contents: [itemContent({ ...item, value: item.value as ChatItem }, uri)] }
}

/** Reads what is known of a thread. */
export async function readThread(
  agents: AgentsRuntime,
  reader: Reader,
  { thread: id, uri }: Place,
): Promise<ChatRead | undefined> {
  const thread = await findThread(agents, reader, id)
  return thread && { contents: [toContent(uri, describe(agents, thread))] }
}

/** Reads the threads with one agent, the latest first. */
export async function readThreads(
  agents: AgentsRuntime,
  { principal, call }: Reader,
  query: { agent: string; uri: string; search?: string | undefined; cursor?: string | undefined },
): Promise<ChatRead> {
  const { agent, uri, search, cursor } = query
  if (call.origin.kind === 'agent') return { contents: [] }
  try {
    const { entries, next } = await agents.state.threads.list(principal, { agent, search, cursor })
    const contents = entries.map((thread) =>
      toContent(`chat://threads/${thread.id}`, describe(agents, thread)),
    )
    return { contents, ...(next === undefined ? {} : { _meta: { [cursorMeta]: next } }) }
  } catch (error) {
    if (isProtocolError(error) || !(error instanceof Error)) throw error
    throw new ProtocolError('INVALID_PARAMS', `${uri} cannot be read: ${error.message}`)
  }
}

function describe(agents: AgentsRuntime, { principal: _whose, ...thread }: Thread): JsonObject {
  return { ...thread, running: agents.busyTurn(thread.id) !== undefined }
}

async function readHistory(
  agents: AgentsRuntime,
  { id, principal }: Thread,
  { after = '0' }: Place,
): Promise<ChatRead | undefined> {
  const from = Number(after)
  const query = { after: Number.isSafeInteger(from) ? from : 0, limit: pageSize }
  const items = await agents.state.threads.items(principal, id, query)
  if (!items) return undefined
  const cursor = String(items.at(-1)?.sequence ?? query.after)
  const contents = items
    .map((item) => ({ ...item, value: item.value as ChatItem }))
    // What was too large is read by its own address.
    .filter(({ value }) => value.type !== 'spill')
    .map((item) => itemContent(item, `chat://threads/${id}/items/${item.sequence}`))
  const more = items.length === pageSize
  return { contents, _meta: { [cursorMeta]: cursor, [moreMeta]: more } }
}

function readProgress(agents: AgentsRuntime, { id, agent }: Thread, place: Place): ChatRead {
  const { uri, after } = place
  const live = agents.live(id)
  const { events, cursor } = live?.progress.read(after) ?? { events: [], cursor: '' }
  const turns = live?.turns.map((turn) => turn.id) ?? []
  const state = turns.length > 0 ? 'running' : 'idle'
  const contents = [toContent(uri, { thread: id, agent, state, turns, events, cursor })]
  return { contents, _meta: { [cursorMeta]: cursor } }
}

async function readQuestions(
  agents: AgentsRuntime,
  { id, principal }: Thread,
  { uri }: Place,
): Promise<ChatRead> {
  const { questions } = agents.state
  const { entries } = await questions.list({ principal, root: id, state: 'open' })
  const contents = entries.map(({ id: question, method, params, askedAt }) =>
    toContent(uri, { id: question, method, params, askedAt }),
  )
  return { contents }
}

function toContent(uri: string, value: JsonObject): JsonObject {
  return { uri, mimeType: json, text: JSON.stringify(value) }
}
