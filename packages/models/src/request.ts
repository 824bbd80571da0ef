import type { JsonObject } from '@mobius-mcp/protocol'

/** What a model is asked: the conversation so far and how to go on. It is never changed. */
export interface ModelRequest {
  /** What stands above the conversation: the system prompt. */
  readonly instructions?: string
  /** The conversation, oldest first. */
  readonly messages: readonly ModelMessage[]
  /** The tools that may be called, by the names that the caller knows them by. */
  readonly tools?: readonly ModelTool[]
  /** Whether a tool must be called, or which. A model decides by itself where this is not given. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string }
  /** The answer must be JSON of this shape. Whoever asks validates what came. */
  readonly output?: OutputShape
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  /** How much the model thinks before it answers, where it can. */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  /** Hints that make a repeated beginning cheaper; `false` leaves them out. They are on by default. */
  readonly cache?: false | CacheHints
}

/** How requests that begin alike are recognised. */
export interface CacheHints {
  /** The same for all requests of one conversation, for vendors that route by such a key. */
  readonly key?: string
}

/** The shape of a structured answer. */
export interface OutputShape {
  /** A JSON Schema. */
  readonly schema: JsonObject
  /** A short name, letters and underscores. */
  readonly name?: string
  readonly description?: string
}

/** A tool as a model may see it. Name and schema may be anything: what a vendor refuses is replaced and mapped back. */
export interface ModelTool {
  readonly name: string
  readonly description?: string
  /** A JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  /** `server/tool`, by which a person calls it in `console`. */
  readonly target?: string
}

/** One message of a conversation. */
export type ModelMessage = UserMessage | AssistantMessage | ToolMessage

/** What a person said or gave. */
export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly (TextPart | FilePart)[]
}

/** What a model said, as `finish` or `error` gave it. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: readonly AssistantPart[]
}

/** What tools answered, in the order of their calls. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly content: readonly ToolResultPart[]
}

/** A part of what a model said. */
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | FilePart

/** Text. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly replay?: Replay
}

/** What a model thought. It goes back only to the provider that it came from, where that wants it. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly replay?: Replay
}

/** An image, a PDF, audio or a text file. */
export interface FilePart {
  readonly type: 'file'
  /** The whole media type, as `image/png`. */
  readonly mediaType: string
  /** Bytes, base64, or where they are. */
  readonly data: Uint8Array | string | URL
  readonly filename?: string
  readonly replay?: Replay
}

/** A call that a model wants made. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly id: string
  /** The name as the request gave it; what the model wrote where there is no such tool. */
  readonly name: string
  /** The arguments, with nothing in them where `invalid` is set. */
  readonly arguments: JsonObject
  /** Set where what the model wrote is no JSON object: its text and what is wrong. Such a call must not be made. */
  readonly invalid?: { readonly text: string; readonly reason: string }
  readonly replay?: Replay
}

/** What one call gave. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  /** The id of the call. */
  readonly id: string
  /** The name of the tool, as in the call. */
  readonly name: string
  readonly content: readonly (TextPart | FilePart)[]
  /** The model is told that the call failed, in every dialect. */
  readonly isError?: boolean
}

/** What a provider wants back with a part: signatures, encrypted reasoning, ids. Plain JSON, to be kept and not read. */
export interface Replay {
  /** The provider, by its configured name; no other is given it. */
  readonly provider: string
  readonly metadata: { readonly [vendor: string]: JsonObject }
}
