import {
  type Clock,
  defineServer,
  type JsonObject,
  type Resource,
  type ServerDefinition,
  systemClock,
  tool,
} from '@mobius-mcp/protocol'
import { z } from 'zod'
import { atMostEvery } from './at-most-every.ts'
import type { Chats } from './chat-contracts.ts'
import { chatTools, readAgents, readChats } from './chat-tools.ts'
import type { MetaDependencies, ServerReport } from './contracts.ts'
import { isVisible } from './is-visible.ts'
import { operationTools } from './operation-tools.ts'
import {
  type QuestionSources,
  questionTools,
  readQuestions,
  watchQuestions,
} from './question-tools.ts'

/** However many calls end, whoever watches them is told at most four times a second. */
const pace = 250

/**
 * The server about the servers: what is here, in which state and why, and what was called lately.
 * One handler serves all sessions.
 */
export function createMetaServer(dependencies: MetaDependencies): ServerDefinition {
  const { version, servers, watchServers, recent, operations, chats } = dependencies
  const { clock = systemClock } = dependencies
  const asks = operations !== undefined || chats !== undefined
  return defineServer({
    name: 'meta',
    title: 'Mobius',
    version,
    instance: 'process',
    tools: {
      list_servers: listServersTool(servers),
      ...(chats ? chatTools(chats) : {}),
      ...(asks ? questionTools({ operations, chats }) : {}),
      ...(operations ? operationTools(operations) : {}),
    },
    resources: {
      'call:///recent': {
        name: 'Recent calls',
        description:
          'The last calls of this principal, the oldest first; of everybody, for an operator.',
        mimeType: 'application/json',
        read: ({ principal }) =>
          json({ calls: recent.list().filter((call) => isVisible(call, principal)) }),
        watch(_uri, changed, { principal }) {
          const paced = atMostEvery(clock, pace, changed)
          const stop = recent.watch((call) => {
            if (isVisible(call, principal)) paced.ask()
          })
          return () => {
            stop()
            paced.stop()
          }
        },
      },
      ...(asks ? { 'question:///open': openQuestions({ operations, chats }) } : {}),
      ...(chats ? chatResources(chats, clock) : {}),
    },
    resourceTemplates: {
      'server:///{name}': {
        name: 'server',
        title: 'Server',
        description: 'The state of one server.',
        mimeType: 'application/json',
        read({ name }) {
          const found = servers().find((server) => server.name === name)
          return found && json(toShown(found))
        },
        list: () => servers().map(({ name }) => listed(name)),
        watch: (uri, changed) =>
          watchServers((name) => {
            if (uri === serverUri(name)) changed()
          }),
        complete: {
          name: (value) =>
            servers()
              .map(({ name }) => name)
              .filter((name) => name.startsWith(value)),
        },
      },
    },
    watch: (changed) =>
      watchServers((name) => {
        if (name === '') changed('resources')
      }),
  })
}

function openQuestions(sources: QuestionSources): Resource {
  return {
    name: 'Open questions',
    description:
      'What waits for an answer: calls of this principal that need an approval (of everybody, for an operator), and forms in its conversations. answer_question answers them.',
    mimeType: 'application/json',
    read: (context) => readQuestions(sources, context),
    watch: (_uri, changed, { principal }) => watchQuestions(sources, principal, changed),
  }
}

function chatResources(chats: Chats, clock: Clock): Record<string, Resource> {
  return {
    'thread:///recent': {
      name: 'Recent conversations',
      description:
        'The latest conversations of this principal with agents, as list_chats has them.',
      mimeType: 'application/json',
      read: (context) => readChats(chats, context),
      watch(_uri, changed, { principal }) {
        const paced = atMostEvery(clock, pace, changed)
        const stop = chats.watch(principal, () => paced.ask())
        return () => {
          stop()
          paced.stop()
        }
      },
    },
    'agent:///all': {
      name: 'Agents',
      description: 'The agents that one can chat with, as list_agents has them.',
      mimeType: 'application/json',
      read: () => readAgents(chats),
      watch: (_uri, changed) => chats.watchAgents(changed),
    },
  }
}

const serverShape = z.object({
  name: z.string(),
  kind: z.enum(['built-in', 'external']),
  state: z.string().describe('idle, starting, ready, waiting, auth-needed, failed or disabled'),
  reason: z.string().exactOptional().describe('Why it is not ready'),
  since: z.string().describe('When the state last changed, as ISO 8601'),
  sharing: z.string(),
  connections: z.number(),
  inFlight: z.number().describe('Calls that wait for its answer'),
  restarts: z.number(),
  calls: z.number(),
  errors: z.number(),
  offers: z.object({
    tools: z.number().exactOptional(),
    prompts: z.number().exactOptional(),
    resources: z.number().exactOptional(),
    resourceTemplates: z.number().exactOptional(),
  }),
})

function listServersTool(servers: MetaDependencies['servers']): ReturnType<typeof tool> {
  return tool({
    title: 'List servers',
    description: 'Lists every server with its state, why it is not ready, since when, and counts.',
    input: z.object({
      state: z.string().exactOptional().describe('Only servers in this state, e.g. failed'),
    }),
    output: z.object({ servers: z.array(serverShape) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run({ state }) {
      const wanted = servers().filter((server) => state === undefined || server.state === state)
      return { servers: wanted.map(toShown) }
    },
  })
}

function toShown(server: ServerReport): z.infer<typeof serverShape> {
  const { reason, since, offers, ...rest } = server
  const known = Object.entries(offers).filter(([, count]) => count !== undefined)
  return {
    ...rest,
    ...(reason === undefined ? {} : { reason }),
    since: new Date(since).toISOString(),
    offers: Object.fromEntries(known),
  }
}

function listed(name: string): JsonObject {
  return { uri: serverUri(name), name, title: `Server ${name}`, mimeType: 'application/json' }
}

function serverUri(name: string): string {
  return `server:///${encodeURIComponent(name)}`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
