import type {
  AssistantMessage,
  ModelMessage,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from '@mobius-mcp/models'
import type { AssistantItem, PlacedItem, ResultItem, SummaryItem } from './items.ts'

/** The last summary of a thread, and where it stands. */
export function lastSummary(items: readonly PlacedItem[]): SummaryItem | undefined {
  const found = items.findLast(({ value }) => value.type === 'summary')
  return found?.value.type === 'summary' ? found.value : undefined
}

/**
 * The conversation as a model is shown it: what the last summary stands for is left out, every call
 * has its result right behind it, in the order of the calls, and whatever came in between follows.
 */
export function toMessages(items: readonly PlacedItem[]): ModelMessage[] {
  const summary = lastSummary(items)
  const assembly = new Assembly()
  if (summary) assembly.add(summaryMessage(summary.text))
  for (const { sequence, value } of items) {
    if (sequence <= (summary?.through ?? 0)) continue
    if (value.type === 'user') assembly.user({ role: 'user', content: value.content }, sequence)
    if (value.type === 'assistant') assembly.assistant(value)
    if (value.type === 'result') assembly.result(value)
  }
  return assembly.end()
}

/** A summary as it stands at the head of a conversation. */
function summaryMessage(text: string): UserMessage {
  const said = `What was said and done earlier in this conversation, in short. Go on from here without mentioning the summary.\n\n${text}`
  return { role: 'user', content: [{ type: 'text', text: said }] }
}

class Assembly {
  readonly #messages: ModelMessage[] = []
  readonly #waiting: UserMessage[] = []
  /** What was said since the model last said something. */
  readonly #said = new Map<ModelMessage, number>()
  readonly #results = new Map<string, ToolResultPart>()
  #calls: readonly ToolCallPart[] = []

  add(message: ModelMessage): void {
    this.#messages.push(message)
  }

  user(message: UserMessage, sequence: number): void {
    this.#said.set(message, sequence)
    // Every dialect wants results right behind their calls.
    if (this.#calls.some(({ id }) => !this.#results.has(id))) this.#waiting.push(message)
    else {
      this.#flush()
      this.add(message)
    }
  }

  assistant({ content, incomplete, seen }: AssistantItem): void {
    this.#flush()
    const unseen = this.#takeUnseen(seen)
    const kept = incomplete ? content.filter(({ type }) => type !== 'tool-call') : content
    this.#waiting.push(...unseen)
    if (kept.length === 0) return
    const message: AssistantMessage = { role: 'assistant', content: kept }
    this.add(message)
    this.#calls = kept.filter((part): part is ToolCallPart => part.type === 'tool-call')
  }

  /** What was said while the model was answering stands behind its answer. */
  #takeUnseen(seen: number): UserMessage[] {
    const unseen: UserMessage[] = []
    for (let last = this.#messages.at(-1); last?.role === 'user'; last = this.#messages.at(-1)) {
      if ((this.#said.get(last) ?? 0) <= seen) break
      unseen.unshift(last)
      this.#messages.pop()
    }
    this.#said.clear()
    return unseen
  }

  result({ call, name, content, isError }: ResultItem): void {
    if (!this.#calls.some(({ id }) => id === call)) return
    this.#results.set(call, {
      type: 'tool-result',
      id: call,
      name,
      content,
      ...(isError ? { isError } : {}),
    })
  }

  end(): ModelMessage[] {
    this.#flush()
    return this.#messages
  }

  #flush(): void {
    if (this.#calls.length > 0) {
      const content = this.#calls.map((call) => this.#results.get(call.id) ?? notMade(call))
      this.add({ role: 'tool', content })
    }
    this.#calls = []
    this.#results.clear()
    this.#messages.push(...this.#waiting.splice(0))
  }
}

function notMade({ id, name }: ToolCallPart): ToolResultPart {
  const text = 'This call was not made, or nobody knows what became of it.'
  return { type: 'tool-result', id, name, content: [{ type: 'text', text }], isError: true }
}
