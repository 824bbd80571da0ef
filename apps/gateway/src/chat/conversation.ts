import { eventMeta, threadMeta } from '@mobius-mcp/agent-server'
import { type CallResult, isObject, type JsonObject, type Session } from '@mobius-mcp/protocol'
import type { AgentReport } from '@mobius-mcp/server-meta'
import type { CommandClient } from '../attach.ts'
import type { UsedGateway } from '../use-gateway.ts'
import { UserError } from '../user-error.ts'
import { type ChatRecord, listAgents, readRecord } from './records.ts'

/** What a person says to an agent. */
export interface Saying {
  readonly prompt: string
  readonly attachments?: readonly JsonObject[] | undefined
}

export interface SayOptions {
  /** Takes it back: the turn is stopped. */
  readonly signal?: AbortSignal | undefined
  /** Told what happens in the turn, and in those of agents that are called in it. */
  onEvent?(event: JsonObject): void
}

/** A person's end of a conversation with an agent. */
export class Conversation implements AsyncDisposable {
  readonly agent: AgentReport
  readonly session: Session
  /** The threads that were heard of: this one and those of agents that are called in it. */
  readonly threads: Set<string> = new Set<string>()
  /** Called when another thread was heard of. */
  onThread: () => void = () => {}
  #thread: string | undefined

  constructor(agent: AgentReport, session: Session, thread: string | undefined) {
    this.agent = agent
    this.session = session
    if (thread !== undefined) this.#hear(thread)
    this.#thread = thread
  }

  /** Known from its first turn on. */
  get thread(): string | undefined {
    return this.#thread
  }

  /**
   * Says something, and resolves with what the agent answers.
   *
   * @throws ProtocolError where it could not be said, or was taken back.
   */
  async say({ prompt, attachments = [] }: Saying, options: SayOptions = {}): Promise<CallResult> {
    const args = {
      prompt,
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(this.#thread === undefined ? {} : { thread: this.#thread }),
    }
    const params = { name: `chat-with-${this.agent.name}`, arguments: args }
    const result = await this.session.request('tools/call', params, {
      signal: options.signal,
      // The agent gives signs of life; how long it may work is its own affair.
      timeouts: { request: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
      onProgress: ({ _meta }) => {
        const told = isObject(_meta) ? _meta[eventMeta] : undefined
        if (isObject(told)) this.#take(told, options)
      },
    })
    const meta = isObject(result._meta) ? result._meta : {}
    this.#enter(meta[threadMeta])
    return result as CallResult
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close()
  }

  #take(told: JsonObject, { onEvent }: SayOptions): void {
    this.#enter(told.thread)
    // Events of agents that are called come within those of the call.
    for (let each: unknown = told; isObject(each); each = each.event) {
      if (typeof each.thread === 'string') this.#hear(each.thread)
    }
    if (isObject(told.event)) onEvent?.(told.event)
  }

  #enter(thread: unknown): void {
    if (this.#thread !== undefined || typeof thread !== 'string') return
    this.#thread = thread
    this.#hear(thread)
  }

  #hear(thread: string): void {
    if (this.threads.has(thread)) return
    this.threads.add(thread)
    this.onThread()
  }
}

export interface OpenConversationOptions {
  /** The default one where none is named, or that of the thread. */
  readonly agent?: string | undefined
  /** To go on with. */
  readonly thread?: string | undefined
  readonly client: CommandClient
}

/**
 * Opens a conversation with an agent of a gateway.
 *
 * @throws UserError where there is no such agent or thread.
 */
export async function openConversation(
  gateway: UsedGateway,
  { agent: named, thread, client }: OpenConversationOptions,
): Promise<Conversation> {
  const agents = await listAgents(gateway)
  const record = thread === undefined ? undefined : await readRecord(gateway, agents, thread)
  if (record && named !== undefined && record.agent !== named) throw wrongAgent(named, record)
  const agent = findAgent(agents, named ?? record?.agent)
  return new Conversation(agent, await gateway.open(agent.name, 'client', client), thread)
}

function findAgent(agents: readonly AgentReport[], name: string | undefined): AgentReport {
  const found =
    name === undefined
      ? (agents.find((agent) => agent.default) ?? agents[0])
      : agents.find((agent) => agent.name === name)
  if (found) return found
  const names = agents.map((agent) => agent.name).join(', ') || 'none'
  const what = name === undefined ? 'no agent to chat with' : `no agent ${JSON.stringify(name)}`
  throw new UserError(`There is ${what}. There are: ${names}`, 1)
}

function wrongAgent(named: string, { id, agent }: ChatRecord): UserError {
  return new UserError(
    `The thread ${id} is one with the agent ${JSON.stringify(agent)}, and not with ${JSON.stringify(named)}. Leave the agent out to go on there.`,
  )
}
