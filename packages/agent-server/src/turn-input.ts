import type { FilePart, TextPart } from '@mobius-mcp/models'
import type { JsonObject, Origin, Principal } from '@mobius-mcp/protocol'
import type { EndReason } from './items.ts'

/** What a turn is begun with, as the journal keeps it. */
export type TurnInput = {
  readonly agent: string
  readonly thread: string
  readonly principal: Principal
  readonly content: readonly (TextPart | FilePart)[]
  /** What led to it: what called the chat tool. */
  readonly origin: Origin
  readonly depth: number
  /** It goes on when whoever asked for it has gone. */
  readonly detached: boolean
}

/** What a turn came to, as the journal keeps it. */
export type TurnResult = {
  readonly turn: string
  readonly thread: string
  readonly reason: EndReason
  /** Content blocks of MCP. */
  readonly content: readonly JsonObject[]
  /** What `output` of the agent asked for. */
  readonly output?: JsonObject | undefined
  readonly tokens: number
  readonly cost?: number | undefined
}
