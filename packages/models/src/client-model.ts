import { isObject, type JsonObject, type MessageContext } from '@mobius-mcp/protocol'
import { ModelError } from './errors.ts'
import type { FinishReason, ModelEvent } from './events.ts'
import type { Model } from './model.ts'
import type { AssistantPart, FilePart, ModelMessage, ModelRequest, TextPart } from './request.ts'

/** Tokens of an answer, where nobody says how many: MCP wants a number. */
const defaultTokens = 4096

/**
 * The model of whoever waits for the answer, asked by `sampling/createMessage` (MCP 2025-11-25). It
 * answers as a whole, not bit by bit, and calls tools only where the client declared
 * `sampling.tools`. Without a client, or with one that cannot sample, it fails and says so: it is
 * never replaced by another model.
 */
export function createClientModel(client: MessageContext | undefined): Model {
  return {
    name: 'client',
    async *stream(request, { signal } = {}) {
      try {
        if (signal?.aborted) throw new ModelError('CANCELLED', 'Whoever asked for it stopped it.')
        yield* say(await ask(client, request, signal))
      } catch (cause) {
        const error = signal?.aborted
          ? new ModelError('CANCELLED', 'Whoever asked for it stopped it.')
          : toModelError(cause)
        yield { type: 'error', error, message: { role: 'assistant', content: [] } }
      }
    },
  }
}

async function ask(
  client: MessageContext | undefined,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  if (!client) throw cannot('no client waits for the answer')
  const sampling = client.session.root.peer?.capabilities.sampling
  if (!isObject(sampling)) throw cannot('it did not declare the capability "sampling"')
  const usesTools = isObject(sampling.tools)
  const { tools = [], toolChoice } = request
  const { instructions, temperature, stopSequences, maxOutputTokens = defaultTokens } = request
  const params: JsonObject = {
    messages: request.messages.flatMap((message) => toMessages(message, usesTools)),
    maxTokens: maxOutputTokens,
    ...(instructions !== undefined && { systemPrompt: instructions }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
  }
  if (usesTools && tools.length > 0) {
    params.tools = tools.map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema,
    }))
    // One tool alone cannot be chosen here.
    params.toolChoice = {
      mode: typeof toolChoice === 'object' ? 'required' : (toolChoice ?? 'auto'),
    }
  }
  return await client.ask('sampling/createMessage', params, signal)
}

function* say(result: JsonObject): Generator<ModelEvent> {
  const content: AssistantPart[] = []
  for (const block of blocksOf(result.content)) {
    const part = toPart(block)
    if (!part) continue
    content.push(part)
    if (part.type === 'text') yield { type: 'text-delta', id: 'text', text: part.text }
    else if (part.type === 'file') yield { type: 'file', file: part }
    else if (part.type === 'tool-call') {
      yield { type: 'tool-call-start', id: part.id, name: part.name }
      yield { type: 'tool-call', call: part }
    }
  }
  if (content.length === 0) {
    throw new ModelError('STREAM_MALFORMED', 'Expected content, received none that can be read.')
  }
  const reason = content.some(({ type }) => type === 'tool-call')
    ? 'tool-calls'
    : reasonOf(result.stopReason)
  yield { type: 'finish', reason, message: { role: 'assistant', content }, usage: {} }
}

function toPart(block: JsonObject): AssistantPart | undefined {
  const { type, text, data, mimeType, id, name, input } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return { type: 'file', data, mediaType: String(mimeType) }
  }
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return undefined
  return { type: 'tool-call', id, name, arguments: isObject(input) ? input : {} }
}

function reasonOf(stopReason: unknown): FinishReason {
  if (stopReason === 'maxTokens') return 'length'
  const isEnd = stopReason === undefined || stopReason === 'endTurn'
  return isEnd || stopReason === 'stopSequence' ? 'stop' : 'other'
}

/** One block for each message, which every revision understands, but for what belongs together. */
function toMessages(message: ModelMessage, usesTools: boolean): JsonObject[] {
  if (message.role === 'user') {
    return message.content.map((part) => ({ role: 'user', content: toBlock(part) }))
  }
  if (message.role === 'assistant') {
    const blocks = message.content.flatMap((part) => toAssistantBlock(part, usesTools))
    if (blocks.some(({ type }) => type === 'tool_use'))
      return [{ role: 'assistant', content: blocks }]
    return blocks.map((content) => ({ role: 'assistant', content }))
  }
  if (!usesTools) {
    return message.content.flatMap(({ name, content }) =>
      content.map((part) => ({ role: 'user', content: toBlock(part, `${name}: `) })),
    )
  }
  const results = message.content.map(({ id, content, isError }) => ({
    type: 'tool_result',
    toolUseId: id,
    content: content.map((part) => toBlock(part)),
    ...(isError && { isError }),
  }))
  return [{ role: 'user', content: results }]
}

function toAssistantBlock(part: AssistantPart, usesTools: boolean): JsonObject[] {
  if (part.type === 'reasoning') return []
  if (part.type !== 'tool-call') return [toBlock(part)]
  const { id, name, arguments: input } = part
  return usesTools ? [{ type: 'tool_use', id, name, input }] : []
}

function toBlock(part: TextPart | FilePart, before = ''): JsonObject {
  if (part.type === 'text') return { type: 'text', text: before + part.text }
  const { mediaType, data } = part
  const kind = mediaType.split('/')[0]
  if ((kind === 'image' || kind === 'audio') && !(data instanceof URL)) {
    return { type: kind, mimeType: mediaType, data: toBase64(data) }
  }
  throw new ModelError(
    'REQUEST_UNSUPPORTED',
    `Clients take text, images and audio; this is a file of ${mediaType}. Leave it out, or configure a model that takes it.`,
  )
}

function toBase64(data: Uint8Array | string): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64')
}

function blocksOf(content: unknown): JsonObject[] {
  return (Array.isArray(content) ? content : [content]).filter(isObject)
}

function cannot(why: string): ModelError {
  return new ModelError(
    'UNAVAILABLE',
    `The model "client" is that of whoever chats, and ${why}. Chat from a client that offers its model, or configure another one.`,
  )
}

function toModelError(cause: unknown): ModelError {
  if (cause instanceof ModelError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ModelError('UNAVAILABLE', `The client did not answer for its model: ${reason}`)
}
