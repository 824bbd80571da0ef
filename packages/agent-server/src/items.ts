import type { AssistantPart, FilePart, TextPart, Usage } from '@mobius-mcp/models'
import type { JsonObject } from '@mobius-mcp/protocol'

/** Why a turn ended. */
export type EndReason = 'done' | 'limit' | 'cancelled' | 'blocked' | 'error'

/** What a person, or another agent, said. */
export type UserItem = {
  readonly type: 'user'
  readonly turn: string
  readonly content: readonly (TextPart | FilePart)[]
}

/** What the model said. */
export type AssistantItem = {
  readonly type: 'assistant'
  readonly turn: string
  readonly model: string
  readonly content: readonly AssistantPart[]
  /** The sequence of the last item that the model had seen: what was said since, it does not answer. */
  readonly seen: number
  /** It was cut off: its calls were not made. */
  readonly incomplete?: boolean | undefined
  readonly usage?: Usage | undefined
  readonly cost?: number | undefined
}

/** What one call came to. */
export type ResultItem = {
  readonly type: 'result'
  readonly turn: string
  /** The call's id, and the name that the model knows the tool by. */
  readonly call: string
  readonly name: string
  readonly content: readonly (TextPart | FilePart)[]
  readonly isError?: boolean | undefined
  /** Where all of it can be read. */
  readonly whole?: string | undefined
}

/** A result that was too large for the conversation. */
export type SpillItem = {
  readonly type: 'spill'
  readonly turn: string
  readonly result: JsonObject
}

/** What came before, in short. */
export type SummaryItem = {
  readonly type: 'summary'
  readonly turn: string
  readonly text: string
  /** The sequence of the last item that it stands for. */
  readonly through: number
}

/** A turn has ended. */
export type EndItem = {
  readonly type: 'end'
  readonly turn: string
  readonly reason: EndReason
  /** What a person is told, where it did not simply end. */
  readonly text?: string | undefined
  readonly usage: Usage
  readonly cost?: number | undefined
}

/** What stands in a thread. */
export type ChatItem = UserItem | AssistantItem | ResultItem | SpillItem | SummaryItem | EndItem

/** An item in its place. */
export interface PlacedItem {
  readonly id: string
  readonly sequence: number
  readonly at: number
  readonly value: ChatItem
}
