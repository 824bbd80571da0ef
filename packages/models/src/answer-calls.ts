import type { ModelMessage, ToolCallPart, ToolResultPart } from './request.ts'

/**
 * Answers calls that nobody answered: of an answer that was cancelled, or a turn that broke off. Every vendor refuses a
 * conversation in which a call has no result right behind it.
 */
export function answerCalls(messages: readonly ModelMessage[]): ModelMessage[] {
  const answered: ModelMessage[] = []
  let open: ToolCallPart[] = []
  let results: ToolResultPart[] = []
  const close = (): void => {
    const given = new Set(results.map(({ id }) => id))
    const all = [...results, ...open.filter(({ id }) => !given.has(id)).map(notMade)]
    if (all.length > 0) answered.push({ role: 'tool', content: all })
    open = []
    results = []
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      // Results may have been kept one by one; vendors want those of one turn together.
      results.push(...message.content)
      continue
    }
    close()
    answered.push(message)
    if (message.role === 'assistant')
      open = message.content.filter((part) => part.type === 'tool-call')
  }
  close()
  return answered
}

function notMade({ id, name }: ToolCallPart): ToolResultPart {
  const text = 'It was not made, or its result is lost: the turn was interrupted.'
  return { type: 'tool-result', id, name, content: [{ type: 'text', text }], isError: true }
}
