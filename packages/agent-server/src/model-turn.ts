import type {
  AssistantMessage,
  AssistantPart,
  FinishReason,
  Model,
  ModelErrorCode,
  ModelEvent,
  ModelRequest,
  ToolCallPart,
  Usage,
} from '@mobius-mcp/models'
import type { ChatEvent } from './progress-log.ts'
import { toPlain } from './to-plain.ts'

/** What a model came to, as the journal keeps it. */
export type ModelAnswer = {
  readonly model: string
  readonly content: readonly AssistantPart[]
  readonly usage?: Usage | undefined
  readonly cost?: number | undefined
} & (
  | { readonly kind: 'finished'; readonly reason: FinishReason; readonly output?: unknown }
  | { readonly kind: 'failed'; readonly code: ModelErrorCode; readonly message: string }
  /** A hook said no: before the model was asked, or to what it said. */
  | { readonly kind: 'blocked'; readonly message: string }
)

/** Asks a model, tells what happens meanwhile, and gives the end of it; never throws. */
export async function askModel(
  model: Model,
  request: ModelRequest,
  options: { readonly signal: AbortSignal; onEvent?(event: ChatEvent): void },
): Promise<ModelAnswer> {
  const { signal, onEvent } = options
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'finish') {
      const { reason, usage, cost, output } = event
      const content = contentOf(event.message)
      return toPlain({ kind: 'finished', model: model.name, content, reason, usage, cost, output })
    }
    if (event.type === 'error') {
      const { usage, cost } = event
      const { code, message } = event.error
      const content = contentOf(event.message)
      return toPlain({ kind: 'failed', model: model.name, content, code, message, usage, cost })
    }
    const told = toChatEvent(event)
    if (told) onEvent?.(told)
  }
  return {
    kind: 'failed',
    model: model.name,
    content: [],
    code: 'STREAM_INTERRUPTED',
    message: `The model ${model.name} ended without an answer.`,
  }
}

/** What a model said as JSON: bytes in base64, and what lies elsewhere by its address. */
function contentOf({ content }: AssistantMessage): AssistantPart[] {
  const calls = new Set<string>()
  return content.map((part): AssistantPart => {
    if (part.type === 'tool-call') return withOwnId(part, calls)
    if (part.type !== 'file') return part
    const { data } = part
    if (data instanceof URL) return { type: 'text', text: `[${part.mediaType} at ${data.href}]` }
    return data instanceof Uint8Array
      ? { ...part, data: Buffer.from(data).toString('base64') }
      : part
  })
}

/** Some servers give every call the same id, or none: then nobody could tell whose result is whose. */
function withOwnId(part: ToolCallPart, known: Set<string>): ToolCallPart {
  const isOwn = part.id !== '' && !known.has(part.id)
  const id = isOwn ? part.id : `${part.id || 'call'}-${known.size + 1}`
  known.add(id)
  return isOwn ? part : { ...part, id }
}

function toChatEvent(event: ModelEvent): ChatEvent | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-call-delta':
      return { type: event.type, id: event.id, text: event.text }
    case 'tool-call-start':
      return { type: event.type, id: event.id, name: event.name }
    case 'tool-call': {
      const { id, name, arguments: args } = event.call
      return { type: event.type, id, name, arguments: args }
    }
    case 'file':
      return { type: event.type, mediaType: event.file.mediaType }
    case 'retry':
      return { type: event.type, attempt: event.attempt, message: event.error.message }
    case 'warning':
      return { type: event.type, message: event.message }
    default:
      return undefined
  }
}
