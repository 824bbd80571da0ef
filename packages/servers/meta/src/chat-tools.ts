import { type Tool, type ToolContext, tool } from '@mobius-mcp/protocol'
import { z } from 'zod'
import type { AgentReport, ChatReport, Chats } from './chat-contracts.ts'

const chatShape = z.object({
  id: z.string(),
  agent: z.string(),
  title: z.string().describe('Empty as long as it has none'),
  createdAt: z.string().describe('As ISO 8601'),
  updatedAt: z.string().describe('When something was last said or done in it, as ISO 8601'),
  running: z.boolean().describe('Whether something is being done in it'),
})

const agentShape = z.object({
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  icons: z
    .array(z.object({ src: z.string(), theme: z.enum(['light', 'dark']).exactOptional() }))
    .exactOptional(),
  starterMessages: z.array(z.string()).exactOptional().describe('What a person may begin with'),
  entrypoint: z.boolean().describe('Whether people are led to it'),
  default: z.boolean().describe('Whether one chats with it who names none'),
})

const id = z.string().min(1).describe('As list_chats shows it')
const longestTitle = 200
const largestPage = 1000
const local = { openWorldHint: false } as const

/** The tools about conversations: each for those of whoever calls. */
export function chatTools(chats: Chats): Readonly<Record<string, Tool>> {
  return {
    list_agents: tool({
      title: 'List agents',
      description: 'Lists the agents that one can chat with, the default one first.',
      input: z.object({}),
      output: z.object({ agents: z.array(agentShape) }),
      annotations: { ...local, readOnlyHint: true },
      run: () => ({ agents: chats.agents().map(showAgent) }),
    }),
    list_chats: tool({
      title: 'List chats',
      description:
        'Lists your conversations with agents, the latest first, page by page; "search" finds a part of the title.',
      input: z.object({
        search: z.string().exactOptional().describe('Part of the title, whatever its case'),
        agent: z.string().exactOptional().describe('Only conversations with this agent'),
        cursor: z.string().exactOptional().describe('"next" of the page before'),
        limit: z.int().min(1).max(largestPage).exactOptional().describe('100 by default'),
      }),
      output: z.object({
        chats: z.array(chatShape),
        next: z.string().exactOptional().describe('Where the next page begins'),
      }),
      annotations: { ...local, readOnlyHint: true },
      async run(query, context) {
        chats.requirePerson(context, 'Listing conversations')
        const { chats: found, next } = await chats.list(context.principal, query)
        return { chats: found.map(showChat), ...(next === undefined ? {} : { next }) }
      },
    }),
    update_chat: tool({
      title: 'Rename a chat',
      description: 'Gives one of your conversations another title.',
      input: z.object({ id, title: z.string().trim().min(1).max(longestTitle) }),
      output: chatShape,
      annotations: { ...local, readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      async run({ id, title }, context) {
        chats.requirePerson(context, 'Renaming a conversation')
        const renamed = await chats.rename(context.principal, id, title)
        return showChat(renamed ?? noChat(id))
      },
    }),
    stop_chat: tool({
      title: 'Stop a chat',
      description:
        'Stops what an agent is doing in one of your conversations. What was done until then is kept.',
      input: z.object({ id }),
      output: z.object({
        id: z.string(),
        stopped: z.boolean().describe('False where nothing was being done'),
      }),
      annotations: { ...local, readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      async run({ id }, context) {
        chats.requirePerson(context, 'Stopping a conversation')
        const stopped = await chats.stop(context.principal, id)
        return { id, stopped: stopped ?? noChat(id) }
      },
    }),
    delete_chat: tool({
      title: 'Delete a chat',
      description:
        'Stops what is done in one of your conversations and deletes it, with all that was said.',
      input: z.object({ id }),
      output: z.object({ id: z.string() }),
      annotations: { ...local, readOnlyHint: false, destructiveHint: true },
      async run({ id }, context) {
        chats.requirePerson(context, 'Deleting a conversation')
        return (await chats.delete(context.principal, id)) ? { id } : noChat(id)
      },
    }),
  }
}

/** The latest conversations of whoever asks, as JSON of what list_chats answers. */
export async function readChats(chats: Chats, context: ToolContext): Promise<string> {
  chats.requirePerson(context, 'Reading conversations')
  const { chats: latest, next } = await chats.list(context.principal)
  return JSON.stringify({ chats: latest.map(showChat), next }, null, 2)
}

/** The agents, as JSON of what list_agents answers. */
export function readAgents(chats: Chats): string {
  return JSON.stringify({ agents: chats.agents().map(showAgent) }, null, 2)
}

function showAgent(agent: AgentReport): z.infer<typeof agentShape> {
  const { name, title, description, icons = [], starterMessages = [], entrypoint } = agent
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icons.length > 0 ? { icons: icons.map(showIcon) } : {}),
    ...(starterMessages.length > 0 ? { starterMessages: [...starterMessages] } : {}),
    entrypoint,
    default: agent.default,
  }
}

function showIcon({ src, theme }: NonNullable<AgentReport['icons']>[number]) {
  return theme === undefined ? { src } : { src, theme }
}

function showChat({ id, agent, title, createdAt, updatedAt, running }: ChatReport) {
  const times = { createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) }
  return { id, agent, title, ...times, running }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}

/** Somebody else's is as much there as none. */
function noChat(id: string): never {
  throw new Error(
    `You have no chat with the id ${JSON.stringify(id)}. list_chats lists those that you have.`,
  )
}
