import type { CallInfo, JsonObject, Principal } from '@mobius-mcp/protocol'

/** An agent that one can chat with. */
export interface AgentReport {
  /** Also the name of its server. */
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly icons?:
    | readonly { readonly src: string; readonly theme?: 'light' | 'dark' | undefined }[]
    | undefined
  /** What a person may begin with. */
  readonly starterMessages?: readonly string[] | undefined
  /** People are led to it. */
  readonly entrypoint: boolean
  /** Whom one chats with who names none. */
  readonly default: boolean
}

/** A conversation with an agent. */
export interface ChatReport {
  readonly id: string
  readonly agent: string
  /** Empty as long as it has none. */
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Something is being done in it, by this process. */
  readonly running: boolean
}

/** Which of a principal's conversations. */
export interface ChatQuery {
  /** Part of the title, whatever its case. */
  readonly search?: string | undefined
  readonly agent?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** Something that a server asks in a conversation, and that waits for an answer. */
export interface AskedReport {
  readonly id: string
  /** The conversation that it was asked in. */
  readonly thread: string
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** Those of `elicitation/create`: a message, and a form or an address. */
  readonly params: JsonObject
}

/**
 * The conversations that the host keeps. Each belongs to a principal, and to anybody else it is not
 * there, operators included.
 */
export interface Chats {
  /** Throws where something that acts by itself asks, or stands in between: a conversation is between people and agents. */
  requirePerson(context: { readonly call: CallInfo }, what: string): void
  /** The agents of the moment, the default one first. */
  agents(): readonly AgentReport[]
  /** Calls back when there are others; returns its own undo. */
  watchAgents(listener: () => void): () => void
  /**
   * The latest first, without those that agents have begun with one another.
   *
   * @throws ProtocolError `INVALID_PARAMS` where the cursor was not given out here.
   */
  list(
    principal: Principal,
    query?: ChatQuery,
  ): Promise<{ readonly chats: readonly ChatReport[]; readonly next?: string | undefined }>
  /** `undefined` where there is no such conversation. */
  rename(principal: Principal, id: string, title: string): Promise<ChatReport | undefined>
  /** Stops what is done in it and deletes it. False where there is no such conversation. */
  delete(principal: Principal, id: string): Promise<boolean>
  /** Whether there was anything to stop; `undefined` where there is no such conversation. */
  stop(principal: Principal, id: string): Promise<boolean | undefined>
  /** What waits for an answer in conversations of this principal, the oldest first. */
  asked(principal: Principal): Promise<readonly AskedReport[]>
  /** False where nothing of the kind waits in a conversation of this principal. */
  answer(principal: Principal, id: string, answer: JsonObject): Promise<boolean>
  /** Calls back when a conversation of this principal, or a question in one, is another than before; returns its own undo. */
  watch(principal: Principal, listener: () => void): () => void
}
