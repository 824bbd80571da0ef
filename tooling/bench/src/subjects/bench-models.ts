import type { AssistantPart, ModelEvent, ModelRequest, Models } from '@mobius-mcp/models'

/** What one delta of `tokens` says. */
export const token = 'word '

/**
 * A model that takes no time: `calls N` makes it call the echo N times, once in each answer, and
 * `tokens N` makes it say as many words, one at a time.
 */
export const benchModels: Pick<Models, 'model'> = {
  model: (name = 'default') => ({ name: `bench/${name}`, stream: (request) => answer(request) }),
}

async function* answer(request: ModelRequest): AsyncGenerator<ModelEvent> {
  const [kind, count] = lastSaid(request).split(' ')
  const wanted = Number(count)
  if (kind === 'tokens') {
    for (let index = 0; index < wanted; index += 1) {
      yield { type: 'text-delta', id: 'text', text: token }
    }
    yield finish([{ type: 'text', text: token.repeat(wanted) }])
  } else if (kind === 'calls' && callsSince(request) < wanted) {
    const id = `call-${request.messages.length}`
    yield finish([{ type: 'tool-call', id, name: 'echo', arguments: { text: 'hello' } }])
  } else yield finish([{ type: 'text', text: 'done' }])
}

function finish(content: readonly AssistantPart[]): ModelEvent {
  const reason = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
  return { type: 'finish', reason, message: { role: 'assistant', content }, usage: {} }
}

function lastSaid({ messages }: ModelRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? []
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** How many calls were made since the last word of a person. */
function callsSince({ messages }: ModelRequest): number {
  return (messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')) >> 1
}
