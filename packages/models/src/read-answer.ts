import {
  InvalidResponseDataError,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { FinishReason, ModelEvent, Usage } from './events.ts'
import { readArguments } from './read-arguments.ts'
import type { AssistantMessage, AssistantPart, FilePart, Replay, ToolCallPart } from './request.ts'
import { toUsage } from './usage.ts'
import type { VendorTools } from './vendor-tools.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
/** A text or a thought that is still being said. */
type Block = {
  type: 'text' | 'reasoning'
  key: string
  text: string
  metadata: Replay['metadata'] | undefined
}

/** How an answer ended, when its last part has been read. */
export type Ending =
  | { readonly type: 'finished'; readonly reason: FinishReason; readonly usage: Usage }
  | { readonly type: 'interrupted'; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: unknown }

/** Puts the parts of one answer together. */
export class AnswerReader {
  readonly #provider: string
  readonly #tools: VendorTools
  readonly #parts: (AssistantPart | Block)[] = []
  readonly #open = new Map<string, Block>()
  /** The ids as the vendor gave them, and as they are told: no two calls of an answer share one. */
  readonly #callIds = new Map<string, string>()
  readonly #calls: ToolCallPart[] = []

  constructor(provider: string, tools: VendorTools) {
    this.#provider = provider
    this.#tools = tools
  }

  /** All that was said until now. */
  get message(): AssistantMessage {
    return {
      role: 'assistant',
      content: this.#parts.map((part) => this.#close(part)).filter(isSaid),
    }
  }

  get calls(): readonly ToolCallPart[] {
    return this.#calls
  }

  /** What is to be shown of one part, or how the answer ended. */
  read(part: LanguageModelV4StreamPart): ModelEvent[] | Ending {
    switch (part.type) {
      case 'stream-start':
        return part.warnings.map((warning) => ({ type: 'warning', message: describe(warning) }))
      case 'text-start':
      case 'reasoning-start':
        this.#start(
          part.type === 'text-start' ? 'text' : 'reasoning',
          part.id,
          part.providerMetadata,
        )
        return []
      case 'text-delta':
        return this.#say('text', part.id, part.delta, part.providerMetadata)
      case 'reasoning-delta':
        return this.#say('reasoning', part.id, part.delta, part.providerMetadata)
      case 'text-end':
      case 'reasoning-end':
        this.#end(part.type === 'text-end' ? 'text' : 'reasoning', part.id, part.providerMetadata)
        return []
      case 'finish':
        return this.#finish(part)
      case 'error':
        return { type: 'failed', error: part.error }
      case 'raw':
        return this.#readRaw(part.rawValue)
      default:
        return this.#readOther(part)
    }
  }

  #readOther(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case 'tool-input-start': {
        const id = this.#newCallId(part.id)
        return [{ type: 'tool-call-start', id, name: this.#tools.names.fromVendor(part.toolName) }]
      }
      case 'tool-input-delta': {
        const id = this.#callIds.get(part.id) ?? part.id
        return part.delta === '' ? [] : [{ type: 'tool-call-delta', id, text: part.delta }]
      }
      case 'tool-call':
        return part.providerExecuted ? [] : this.#call(part)
      case 'file': {
        if (part.data.type !== 'data') return []
        const file: FilePart = {
          type: 'file',
          mediaType: part.mediaType,
          data: part.data.data,
          ...this.#replay(part.providerMetadata),
        }
        this.#parts.push(file)
        return [{ type: 'file', file }]
      }
      default:
        // Sources, results of a vendor's own tools, raw chunks and pings are not asked for.
        return []
    }
  }

  /** An event of the open standard for Responses, as it was sent. */
  #readRaw(event: unknown): ModelEvent[] | Ending {
    if (!isObject(event)) return { type: 'failed', error: noObject(event) }
    const { type, item_id: id, delta } = event
    // The package knows OpenAI's name for it, and not the standard's.
    if (type !== 'response.reasoning.delta' || typeof delta !== 'string') return []
    return this.#say('reasoning', String(id), delta, undefined)
  }

  #start(type: Block['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): Block {
    const block: Block = {
      type,
      key: `${type}-${this.#parts.length}`,
      text: '',
      metadata: undefined,
    }
    addMetadata(block, metadata)
    this.#parts.push(block)
    this.#open.set(`${type} ${id}`, block)
    return block
  }

  #say(
    type: Block['type'],
    id: string,
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): ModelEvent[] {
    const block = this.#open.get(`${type} ${id}`) ?? this.#start(type, id, undefined)
    addMetadata(block, metadata)
    block.text += text
    return text === '' ? [] : [{ type: `${type}-delta`, id: block.key, text }]
  }

  #end(type: Block['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#open.get(`${type} ${id}`)
    if (block) addMetadata(block, metadata)
    this.#open.delete(`${type} ${id}`)
  }

  #newCallId(vendorId: string): string {
    const taken = new Set(this.#callIds.values())
    let id = vendorId
    for (let number = 2; taken.has(id); number += 1) id = `${vendorId}-${number}`
    this.#callIds.set(vendorId, id)
    return id
  }

  #call(part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): ModelEvent[] {
    const open = this.#callIds.get(part.toolCallId)
    const done = this.#calls.some(({ id }) => id === open)
    const id = open === undefined || done ? this.#newCallId(part.toolCallId) : open
    const name = this.#tools.names.fromVendor(part.toolName)
    const read = readArguments(part.input)
    const call: ToolCallPart = {
      type: 'tool-call',
      id,
      name,
      arguments: this.#tools.fromVendor(name, read.arguments),
      ...(read.invalid ? { invalid: read.invalid } : {}),
      ...this.#replay(part.providerMetadata),
    }
    this.#calls.push(call)
    this.#parts.push(call)
    const told: ModelEvent = { type: 'tool-call', call }
    // Some packages tell of a call only when it is whole.
    return id === open ? [told] : [{ type: 'tool-call-start', id, name }, told]
  }

  #finish({
    finishReason,
    usage: counted,
  }: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): Ending {
    const usage = toUsage(counted)
    const { unified, raw } = finishReason
    // A reason that nobody gave is no end, but what a package says where none came.
    if (
      unified === 'interrupted' ||
      unified === 'error' ||
      (unified === 'other' && raw === undefined)
    ) {
      return { type: 'interrupted', usage }
    }
    // Several servers say `stop` when they want tools called.
    const reason = unified === 'stop' && this.#calls.length > 0 ? 'tool-calls' : unified
    return { type: 'finished', reason, usage }
  }

  #close(part: AssistantPart | Block): AssistantPart {
    if (!('key' in part)) return part
    // Reasoning names its provider even where there is nothing else to give back.
    const metadata = part.metadata ?? (part.type === 'reasoning' ? {} : undefined)
    return { type: part.type, text: part.text, ...this.#replay(metadata) }
  }

  #replay(metadata: SharedV4ProviderMetadata | Replay['metadata'] | undefined): {
    replay?: Replay
  } {
    return metadata ? { replay: { provider: this.#provider, metadata } } : {}
  }
}

/** Signatures come with the start, a delta or the end, by vendor. */
function addMetadata(block: Block, metadata: SharedV4ProviderMetadata | undefined): void {
  if (!metadata) return
  const all: Mutable<Replay['metadata']> = { ...block.metadata }
  for (const [vendor, values] of Object.entries(metadata)) {
    const known = Object.entries(values).filter(
      ([, value]) => value !== undefined && value !== null,
    )
    all[vendor] = { ...all[vendor], ...(Object.fromEntries(known) as JsonObject) }
  }
  block.metadata = all
}

/** Events of a standard that grows may be unknown, but not anything at all. */
function noObject(data: unknown): Error {
  return new InvalidResponseDataError({ data, message: 'An event is no JSON object.' })
}

function isSaid(part: AssistantPart): boolean {
  return (
    !('text' in part) || part.text !== '' || Object.keys(part.replay?.metadata ?? {}).length > 0
  )
}

function describe(
  warning: Extract<LanguageModelV4StreamPart, { type: 'stream-start' }>['warnings'][number],
): string {
  const { type, ...rest } = warning
  return `${type}: ${Object.values(rest)
    .filter((value) => typeof value === 'string')
    .join(': ')}`
}
