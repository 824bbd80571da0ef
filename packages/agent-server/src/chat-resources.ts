import type { MessageContext, Resource, ResourceTemplate, ToolContext } from '@mobius-mcp/protocol'
import type { AgentsRuntime } from './agents-runtime.ts'
import {
  findThread,
  type Reader,
  type ReadPart,
  readItem,
  readPart,
  readThread,
  readThreads,
} from './read-chat.ts'
import type { Seat } from './seats.ts'
import type { ThreadPart } from './thread-hub.ts'

const parts = ['history', 'progress', 'elicitation'] as const
const mimeType = 'application/json'

const descriptions: Readonly<Record<ReadPart, string>> = {
  history: 'What was said and done in the conversation: one content for each item.',
  progress: 'What happens in the present turn, or happened in the last: events in their order.',
  elicitation: 'Questions that wait for an answer.',
}

/** What `chat://history` and its like mean for whoever asks: the thread that the session is in with the agent. */
export function chatResources(
  agents: AgentsRuntime,
  agent: string,
  { session, principal }: MessageContext,
): Record<string, Resource> {
  const seat = () => agents.seats.of(session.root, principal, agent)
  const resources = parts.map((part): [string, Resource] => [
    `chat://${part}`,
    {
      name: part,
      description: descriptions[part],
      mimeType,
      read: async (context, uri) => {
        const read = await readPart(agents, part, context, { thread: seat().thread, uri })
        // Nobody has said anything yet.
        return read ?? { contents: [] }
      },
      watch: (_uri, changed) => seat().watch(part, changed),
    },
  ])
  return Object.fromEntries(resources)
}

/** The same from a cursor on, for any thread of whoever asks, and single items. */
export function chatTemplates(
  agents: AgentsRuntime,
  agent: string,
): Record<string, ResourceTemplate> {
  const templates: Record<string, ResourceTemplate> = {
    'chat://threads/{thread}': {
      name: 'thread',
      description: 'A conversation: its title, its agent, when something was last said.',
      mimeType,
      read: ({ thread = '' }, context, uri) => readThread(agents, context, { thread, uri }),
      watch: (uri, changed, context) =>
        watchThread(agents, context, { uri, part: 'info' }, changed),
    },
    'chat://threads/{thread}/items/{sequence}': {
      name: 'item of a thread',
      description: 'One item, or the whole of a result that was too large for the conversation.',
      read: ({ thread = '', sequence }, context, uri) =>
        readItem(agents, context, { thread, sequence: Number(sequence), uri }),
    },
  }
  for (const part of parts) {
    const query = part === 'elicitation' ? '' : '{?after}'
    if (query !== '') templates[`chat://${part}${query}`] = ofSession(agents, agent, part)
    templates[`chat://threads/{thread}/${part}${query}`] = ofThread(agents, part)
  }
  // The last: the beginnings of all others look like it to whoever matches templates.
  templates['chat://threads{?search,cursor}'] = {
    name: 'threads',
    description: 'Conversations with the agent, the latest first.',
    mimeType,
    read: ({ search, cursor }, context, uri) =>
      readThreads(agents, context, { agent, uri, search, cursor }),
  }
  return templates
}

function ofSession(agents: AgentsRuntime, agent: string, part: ReadPart): ResourceTemplate {
  const seatOf = ({ session, principal }: ToolContext): Seat =>
    agents.seats.of(session.root, principal, agent)
  return {
    name: `${part} from a cursor on`,
    description: descriptions[part],
    mimeType,
    read: ({ after }, context, uri) =>
      readPart(agents, part, context, { thread: seatOf(context).thread, uri, after }),
    watch: (_uri, changed, context) => seatOf(context).watch(part, changed),
  }
}

function ofThread(agents: AgentsRuntime, part: ReadPart): ResourceTemplate {
  return {
    name: `${part} of a thread`,
    description: descriptions[part],
    mimeType,
    read: ({ thread = '', after }, context, uri) =>
      readPart(agents, part, context, { thread, uri, after }),
    watch: (uri, changed, context) => watchThread(agents, context, { uri, part }, changed),
  }
}

/** Follows a thread that whoever asks may read, and no other. */
function watchThread(
  agents: AgentsRuntime,
  reader: Reader,
  { uri, part }: { uri: string; part: ThreadPart },
  changed: () => void,
): () => void {
  const [, encoded = ''] = /^chat:\/\/threads\/([^/?]+)/.exec(uri) ?? []
  const id = decodeURIComponent(encoded)
  let stop: (() => void) | undefined
  let isOver = false
  const begin = async () => {
    const known = await findThread(agents, reader, id)
    if (known && !isOver) stop = agents.hub.watch(id, part, changed)
  }
  // What cannot be found is not followed.
  begin().catch(() => {})
  return () => {
    isOver = true
    stop?.()
  }
}
