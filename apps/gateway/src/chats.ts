import type { Agents } from '@mobius-mcp/agent-server'
import type { Configuration } from '@mobius-mcp/config'
import { isSelfApproving } from '@mobius-mcp/permissions'
import { type Principal, ProtocolError } from '@mobius-mcp/protocol'
import type { AgentReport, AskedReport, ChatReport, Chats } from '@mobius-mcp/server-meta'
import { principalKey, type Question, type State, type Thread } from '@mobius-mcp/state'
import type { LazyAgents } from './lazy-agents.ts'
import type { LazyState } from './lazy-state.ts'
import { entrypointsOf, type ToAgentsOptions, toAgents } from './to-agents.ts'

export interface ChatsOptions extends ToAgentsOptions {
  /** The configuration of the moment. */
  current(): Configuration
  readonly agents: Pick<LazyAgents, 'open'>
  readonly kept: Pick<LazyState, 'open'>
}

/** What is kept of conversations, for the meta server. */
export interface KeptChats extends Chats {
  /** Tells those who watch whether there are other agents than before. */
  tellOfAgents(): void
}

/** Opens nothing before somebody asks. */
export function createChats(options: ChatsOptions): KeptChats {
  const { current, agents, kept } = options
  const forThose = new Map<string, Set<() => void>>()
  const agentListeners = new Set<() => void>()
  const listAgents = () => toReports(current(), options)
  let told = JSON.stringify(listAgents())

  const state = async (): Promise<State> => (await kept.open()).store
  const toReport = async (thread: Thread) => describe(await agents.open(), thread)
  return {
    requirePerson({ call }, what) {
      if (!isSelfApproving(call)) return
      throw new ProtocolError(
        'DENIED',
        `${what} was refused: conversations are for those who have them, as clients of this gateway, and not for what acts in their name.`,
      )
    },
    agents: listAgents,
    watchAgents: (listener) => listenTo(agentListeners, listener),
    tellOfAgents() {
      const now = JSON.stringify(listAgents())
      if (now === told) return
      told = now
      for (const listener of agentListeners) listener()
    },
    async list(principal, query = {}) {
      const { threads } = await state()
      try {
        const { entries, next } = await threads.list(principal, { ...query, parent: null })
        return { chats: await Promise.all(entries.map(toReport)), next }
      } catch (error) {
        throw toProtocolError(error)
      }
    },
    async rename(principal, id, title) {
      if (!(await (await agents.open()).rename(principal, id, title))) return undefined
      const thread = await (await state()).threads.get(principal, id)
      return thread && (await toReport(thread))
    },
    async delete(principal, id) {
      const wasThere = await (await agents.open()).delete(principal, id)
      // Nobody can be asked any more whose it was.
      if (wasThere) for (const listener of forThose.get(principalKey(principal)) ?? []) listener()
      return wasThere
    },
    async stop(principal, id) {
      const thread = await (await state()).threads.get(principal, id)
      return thread && (await agents.open()).stop(principal, id)
    },
    asked: async (principal) => await readAsked(await state(), principal),
    async answer(principal, id, answer) {
      const question = await (await state()).questions.get(id)
      // An approval is the operators' to give, by another way.
      if (question?.method !== elicitation) return false
      return await (await agents.open()).answer(principal, id, answer)
    },
    watch(principal, listener) {
      const key = principalKey(principal)
      const listeners = forThose.get(key) ?? new Set()
      forThose.set(key, listeners)
      const forget = listenTo(listeners, listener)
      const stop = watchThreads({ agents, state }, principal, listener)
      return () => {
        forget()
        stop()
        if (listeners.size === 0 && forThose.get(key) === listeners) forThose.delete(key)
      }
    },
  }
}

const elicitation = 'elicitation/create'

/** Threads tell that they have changed, and not whose they are: that is looked up. */
function watchThreads(
  { agents, state }: { agents: Pick<LazyAgents, 'open'>; state: () => Promise<State> },
  principal: Principal,
  listener: () => void,
): () => void {
  let isOver = false
  let stop: (() => void) | undefined
  const look = async (id: string) => {
    const thread = await (await state()).threads.get(principal, id)
    if (thread && !isOver) listener()
  }
  const begin = async () => {
    const opened = await agents.open()
    if (isOver) return
    stop = opened.watch((thread, part) => {
      if (part !== 'progress') look(thread).catch(() => {})
    })
  }
  // Whoever reads is told why nothing can be read.
  begin().catch(() => {})
  return () => {
    isOver = true
    stop?.()
  }
}

function toReports(configuration: Configuration, options: ToAgentsOptions): AgentReport[] {
  const entrypoints = entrypointsOf(configuration)
  return toAgents(configuration, options)
    .map(({ definition }) => definition)
    .filter(({ visibility = 'published' }) => visibility === 'published')
    .map(({ name, title, description, icons, starterMessages }) => ({
      ...{ name, title, description, icons, starterMessages },
      entrypoint: entrypoints.includes(name),
      default: entrypoints[0] === name,
    }))
}

function describe(agents: Agents, thread: Thread): ChatReport {
  const { id, agent, title, createdAt, updatedAt, principal } = thread
  return { id, agent, title, createdAt, updatedAt, running: agents.isBusy(principal, id) }
}

async function readAsked({ questions }: State, principal: Principal): Promise<AskedReport[]> {
  const asked: Question[] = []
  let cursor: string | undefined
  do {
    const page = await questions.list({ principal, state: 'open', cursor })
    asked.push(...page.entries.filter(({ method }) => method === elicitation))
    cursor = page.next
  } while (cursor !== undefined)
  return asked
    .toReversed()
    .map(({ id, root: thread, askedAt, params }) => ({ id, thread, askedAt, params }))
}

function toProtocolError(error: unknown): unknown {
  const isBadCursor = error instanceof Error && 'code' in error && error.code === 'CURSOR_INVALID'
  return isBadCursor ? new ProtocolError('INVALID_PARAMS', error.message) : error
}

function listenTo(listeners: Set<() => void>, listener: () => void): () => void {
  // The same function may listen twice.
  const own = () => listener()
  listeners.add(own)
  return () => listeners.delete(own)
}
