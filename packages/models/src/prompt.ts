import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { answerCalls } from './answer-calls.ts'
import type { Destination } from './provider-settings.ts'
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ModelRequest,
  Replay,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
} from './request.ts'
import type { VendorTools } from './vendor-tools.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** The conversation as the dialect takes it. */
export function toPrompt(
  request: ModelRequest,
  tools: VendorTools,
  destination: Destination,
): LanguageModelV4Prompt {
  const messages = answerCalls(request.messages)
  const callers = turnsWithCalls(messages)
  const prompt: LanguageModelV4Prompt = request.instructions
    ? [{ role: 'system', content: request.instructions }]
    : []
  messages.forEach((message, index) => {
    switch (message.role) {
      case 'user':
        prompt.push({ role: 'user', content: message.content.map(toPart) })
        return
      case 'assistant': {
        const content = toAssistant(message, tools, destination, callers.has(index))
        // What was cancelled before it began has nothing to say, and empty messages are refused.
        if (content.length > 0) prompt.push({ role: 'assistant', content })
        return
      }
      case 'tool':
        prompt.push(...toToolMessages(message, tools, destination))
        return
      default:
        message satisfies never
    }
  })
  return prompt
}

/** The indexes of messages between two of a person's, where a tool is called between those. */
function turnsWithCalls(messages: readonly ModelMessage[]): Set<number> {
  const calling = new Set<number>()
  let turn: number[] = []
  let hasCalls = false
  const close = (): void => {
    if (hasCalls) for (const index of turn) calling.add(index)
    turn = []
    hasCalls = false
  }
  messages.forEach((message, index) => {
    if (message.role === 'user') close()
    else turn.push(index)
    hasCalls ||= message.role === 'tool'
  })
  close()
  return calling
}

function toAssistant(
  { content }: AssistantMessage,
  tools: VendorTools,
  destination: Destination,
  inCallingTurn: boolean,
): AssistantContent {
  return content.flatMap((part): AssistantContent => {
    const options = toProviderOptions(part.replay, destination)
    switch (part.type) {
      case 'text':
        return part.text === '' && !options.providerOptions
          ? []
          : [{ type: 'text', text: part.text, ...options }]
      case 'reasoning':
        return goesBack(part.replay, destination, inCallingTurn)
          ? [{ type: 'reasoning', text: part.text, ...options }]
          : []
      case 'file':
        return [{ ...toFile(part), ...options }]
      case 'tool-call':
        return [{ ...toCall(part, tools), ...options }]
      default:
        return part satisfies never
    }
  })
}

/**
 * Reasoning without its signature is refused, or read as an answer. Chat Completions has none: DeepSeek refuses a conversation
 * without the reasoning of turns that called tools, and wants no other (https://api-docs.deepseek.com/guides/thinking_mode).
 */
function goesBack(
  replay: Replay | undefined,
  { dialect, provider }: Destination,
  inCallingTurn: boolean,
): boolean {
  if (replay?.provider !== provider) return false
  return dialect === 'openai-chat' ? inCallingTurn : Object.keys(replay.metadata).length > 0
}

function toCall(
  part: ToolCallPart,
  tools: VendorTools,
): Extract<AssistantContent[number], { type: 'tool-call' }> {
  return {
    type: 'tool-call',
    toolCallId: part.id,
    toolName: tools.names.toVendor(part.name),
    // Vendors refuse what is no object; so the model is shown its own words inside one.
    input: part.invalid
      ? { unreadable_arguments: part.invalid.text }
      : tools.toVendor(part.name, part.arguments),
  }
}

/** Results; and behind them, as if a person had given them, the files that the dialect has no place for in a result. */
function toToolMessages(
  { content }: ToolMessage,
  tools: VendorTools,
  destination: Destination,
): LanguageModelV4Prompt {
  const behind: (LanguageModelV4TextPart | LanguageModelV4FilePart)[] = []
  const results = content.map((part): LanguageModelV4ToolResultPart => {
    const files = part.content.filter(({ type }) => type === 'file') as FilePart[]
    const inside = destination.dialect !== 'openai-chat' && !part.isError
    if (!inside && files.length > 0) {
      behind.push({ type: 'text', text: `Files that ${part.name} returned:` }, ...files.map(toFile))
    }
    return {
      type: 'tool-result',
      toolCallId: part.id,
      toolName: tools.names.toVendor(part.name),
      output: inside && files.length > 0 ? toContent(part) : toText(part, destination),
    }
  })
  const messages: LanguageModelV4Prompt = [{ role: 'tool', content: results }]
  return behind.length === 0 ? messages : [...messages, { role: 'user', content: behind }]
}

function toContent(part: ToolResultPart): LanguageModelV4ToolResultOutput {
  return {
    type: 'content',
    value: part.content.map((item) =>
      item.type === 'text' ? { type: 'text', text: item.text } : toFile(item),
    ),
  }
}

function toText(part: ToolResultPart, { dialect }: Destination): LanguageModelV4ToolResultOutput {
  const text = part.content
    .filter((item): item is TextPart => item.type === 'text')
    .map((item) => item.text)
    .join('\n')
  const files = part.content.some(({ type }) => type === 'file')
  const said = text || (files ? 'The files follow.' : 'Nothing was returned.')
  if (!part.isError) return { type: 'text', value: said }
  // Only Anthropic has a mark for failure.
  return { type: 'error-text', value: dialect === 'anthropic' ? said : `The call failed: ${said}` }
}

function toPart(part: TextPart | FilePart): LanguageModelV4TextPart | LanguageModelV4FilePart {
  return part.type === 'text' ? { type: 'text', text: part.text } : toFile(part)
}

function toFile({ data, mediaType, filename }: FilePart): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType,
    data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data },
    ...(filename === undefined ? {} : { filename }),
  }
}

function toProviderOptions(
  replay: Replay | undefined,
  { provider }: Destination,
): { providerOptions?: SharedV4ProviderOptions } {
  if (replay?.provider !== provider) return {}
  // It was the vendor's own JSON when it came.
  return { providerOptions: replay.metadata as SharedV4ProviderOptions }
}
