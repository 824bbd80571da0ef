import type {
  JsonObject,
  MessageContext,
  Principal,
  Resource,
  ResourceTemplate,
  ToolContext,
} from '@mobius-mcp/protocol'
import type { AgentDefinition } from './agent-definition.ts'
import type { AgentsRuntime } from './agents-runtime.ts'
import type { ChatItem } from './items.ts'
import { itemContent } from './own-resources.ts'
import type { Seat } from './seats.ts'
import type { ThreadPart } from './thread-hub.ts'

/** In the `_meta` of what was read: where to go on reading, and whether there is more already. */
export const cursorMeta = 'mobius-mcp.dev/cursor'
export const moreMeta = 'mobius-mcp.dev/more'

const parts = ['history', 'progress', 'elicitation'] as const
type ReadPart = (typeof parts)[number]

const descriptions: Readonly<Record<ReadPart, string>> = {
  history: 'What was said and done in the conversation: one content for each item.',
  progress: 'What happens in the present turn, or happened in the last: events in their order.',
  elicitation: 'Questions that wait for an answer.',
}

/** Items on one page of a history. */
const pageSize = 1000

type Read = { contents: JsonObject[]; _meta?: JsonObject }

/** What `chat://history` and its like mean for whoever asks: the thread that the session is in with the agent. */
export function chatResources(
  agents: AgentsRuntime,
  { name }: AgentDefinition,
  { session, principal }: MessageContext,
): Record<string, Resource> {
  const seat = () => agents.seats.of(session.root, principal, name)
  const resources = parts.map((part): [string, Resource] => [
    `chat://${part}`,
    {
      name: part,
      description: descriptions[part],
      mimeType: 'application/json',
      read: async (_context, uri) =>
        (await readPart(agents, part, { thread: seat().thread, principal, uri })) ?? {
          contents: [],
        },
      watch: (_uri, changed) => seat().watch(part, changed),
    },
  ])
  return Object.fromEntries(resources)
}

/** The same from a cursor on, for any thread of the principal, and single items. */
export function chatTemplates(
  agents: AgentsRuntime,
  { name }: AgentDefinition,
): Record<string, ResourceTemplate> {
  const seatOf = ({ session, principal }: ToolContext): Seat =>
    agents.seats.of(session.root, principal, name)
  const templates: Record<string, ResourceTemplate> = {}
  for (const part of parts) {
    const shared = { description: descriptions[part], mimeType: 'application/json' }
    const query = part === 'elicitation' ? '' : '{?after}'
    if (query !== '') {
      templates[`chat://${part}${query}`] = {
        ...shared,
        name: `${part} from a cursor on`,
        read: ({ after }, context, uri) => {
          const { principal } = context
          const { thread } = seatOf(context)
          return readPart(agents, part, { thread, principal, uri, after })
        },
        watch: (_uri, changed, context) => seatOf(context).watch(part, changed),
      }
    }
    templates[`chat://threads/{thread}/${part}${query}`] = {
      ...shared,
      name: `${part} of a thread`,
      read: ({ thread = '', after }, { principal }, uri) =>
        readPart(agents, part, { thread, principal, uri, after }),
      watch: (uri, changed, { principal }) =>
        watchThread(agents, principal, threadIn(uri), part, changed),
    }
  }
  templates['chat://threads/{thread}/items/{sequence}'] = {
    name: 'item of a thread',
    description: 'One item, or the whole of a result that was too large for the conversation.',
    read: ({ thread = '', sequence }, { principal }, uri) =>
      readItem(agents, principal, { thread, sequence: Number(sequence), uri }),
  }
  templates['chat://threads/{thread}'] = {
    name: 'thread',
    description: 'A conversation: its title, its agent, when something was last said.',
    mimeType: 'application/json',
    read: ({ thread = '' }, { principal }, uri) => readThread(agents, principal, thread, uri),
    watch: (uri, changed, { principal }) =>
      watchThread(agents, principal, threadIn(uri), 'info', changed),
  }
  return templates
}

interface PartQuery {
  readonly thread: string
  readonly principal: Principal
  readonly uri: string
  readonly after?: string | undefined
}

async function readPart(
  agents: AgentsRuntime,
  part: ReadPart,
  query: PartQuery,
): Promise<Read | undefined> {
  const { thread: id, principal, uri, after } = query
  const { threads, questions } = agents.state
  switch (part) {
    case 'history':
      return await readHistory(agents, query)
    case 'progress': {
      const thread = await threads.get(principal, id)
      if (!thread) return undefined
      const live = agents.live(id)
      const { events, cursor } = live?.progress.read(after) ?? { events: [], cursor: '' }
      const turns = live?.turns.map((turn) => turn.id) ?? []
      const state = turns.length > 0 ? 'running' : 'idle'
      const text = JSON.stringify({ thread: id, agent: thread.agent, state, turns, events, cursor })
      const contents = [{ uri, mimeType: 'application/json', text }]
      return { contents, _meta: { [cursorMeta]: cursor } }
    }
    case 'elicitation': {
      const { entries } = await questions.list({ principal, root: id, state: 'open' })
      const contents = entries.map(({ id: question, method, params, askedAt }) => {
        const text = JSON.stringify({ id: question, method, params, askedAt })
        return { uri, mimeType: 'application/json', text }
      })
      return { contents }
    }
    default:
      return part satisfies never
  }
}

async function readHistory(
  agents: AgentsRuntime,
  { thread, principal, after = '0' }: PartQuery,
): Promise<Read | undefined> {
  const from = Number(after)
  const query = { after: Number.isSafeInteger(from) ? from : 0, limit: pageSize }
  const items = await agents.state.threads.items(principal, thread, query)
  if (!items) return undefined
  const cursor = String(items.at(-1)?.sequence ?? query.after)
  const contents = items
    .map((item) => ({ ...item, value: item.value as ChatItem }))
    // What was too large is read by its own address.
    .filter(({ value }) => value.type !== 'spill')
    .map((item) => itemContent(item, `chat://threads/${thread}/items/${item.sequence}`))
  const more = items.length === pageSize
  return { contents, _meta: { [cursorMeta]: cursor, [moreMeta]: more } }
}

async function readItem(
  agents: AgentsRuntime,
  principal: Principal,
  { thread, sequence, uri }: { thread: string; sequence: number; uri: string },
): Promise<Read | undefined> {
  if (!Number.isSafeInteger(sequence) || sequence < 1) return undefined
  const query = { after: sequence - 1, limit: 1 }
  const [item] = (await agents.state.threads.items(principal, thread, query)) ?? []
  if (item?.sequence !== sequence) return undefined
  return { contents: [itemContent({ ...item, value: item.value as ChatItem }, uri)] }
}

async function readThread(
  agents: AgentsRuntime,
  principal: Principal,
  id: string,
  uri: string,
): Promise<Read | undefined> {
  const thread = await agents.state.threads.get(principal, id)
  if (!thread) return undefined
  const { principal: _whose, ...shown } = thread
  const text = JSON.stringify({ ...shown, running: agents.busyTurn(id) !== undefined })
  return { contents: [{ uri, mimeType: 'application/json', text }] }
}

/** Follows a thread of the principal, and nobody else's. */
function watchThread(
  agents: AgentsRuntime,
  principal: Principal,
  thread: string,
  part: ThreadPart,
  changed: () => void,
): () => void {
  let stop: (() => void) | undefined
  let isOver = false
  const begin = async () => {
    const known = await agents.state.threads.get(principal, thread)
    if (known && !isOver) stop = agents.hub.watch(thread, part, changed)
  }
  // Whose thread cannot be found out is not followed.
  begin().catch(() => {})
  return () => {
    isOver = true
    stop?.()
  }
}

function threadIn(uri: string): string {
  const [, id = ''] = /^chat:\/\/threads\/([^/?]+)/.exec(uri) ?? []
  return decodeURIComponent(id)
}
