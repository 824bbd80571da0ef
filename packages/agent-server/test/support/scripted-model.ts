import {
  type AssistantPart,
  type FinishReason,
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelRequest,
  type Models,
  type ToolCallPart,
  type Usage,
} from '@mobius-mcp/models'
import type { JsonObject } from '@mobius-mcp/protocol'

/** What a scripted model says: text, calls, or how it fails. */
export interface Said {
  readonly text?: string
  readonly calls?: readonly (readonly [name: string, args: JsonObject])[]
  readonly invalid?: string
  readonly usage?: Usage
  readonly cost?: number
  readonly reason?: FinishReason
  readonly fails?: ModelErrorCode
  readonly output?: unknown
}

/** Says what comes next: a text, or more of it. */
export type Script = (
  request: ModelRequest,
  about: { name: string },
) => Said | string | Promise<Said | string>

/** A model that plays a script, and what it was asked. */
export interface ScriptedModels extends Pick<Models, 'model'> {
  readonly requests: ModelRequest[]
  readonly titles: ModelRequest[]
}

export function scriptModels(script: Script): ScriptedModels {
  const requests: ModelRequest[] = []
  const titles: ModelRequest[] = []
  let made = 0
  const nextId = () => {
    made += 1
    return `call-${made}`
  }
  return {
    requests,
    titles,
    model(name = 'default'): Model {
      return {
        name: `scripted/${name}`,
        stream(request, { signal } = {}) {
          if (name === 'mini') {
            titles.push(request)
            return play(Promise.resolve('A title'), { signal, id: 'title', nextId })
          }
          requests.push(request)
          const id = `${requests.length}`
          return play(Promise.resolve(script(request, { name })), { signal, id, nextId })
        },
      }
    },
  }
}

async function* play(
  said: Promise<Said | string>,
  { signal, id, nextId }: { signal: AbortSignal | undefined; id: string; nextId: () => string },
): AsyncGenerator<ModelEvent> {
  const given = await untilAborted(said, signal)
  const content: AssistantPart[] = []
  if (given === undefined) {
    const error = new ModelError('CANCELLED', 'Whoever asked for it stopped it.')
    yield { type: 'error', error, message: { role: 'assistant', content } }
    return
  }
  const answer = typeof given === 'string' ? { text: given } : given
  const { text = '', reason, usage = {}, cost, fails, output } = answer
  for (const part of text.split(/(?<= )/)) {
    if (part !== '') yield { type: 'text-delta', id, text: part }
  }
  if (text !== '') content.push({ type: 'text', text })
  for (const call of toCalls(answer, nextId)) {
    content.push(call)
    yield { type: 'tool-call-start', id: call.id, name: call.name }
    yield { type: 'tool-call', call }
  }
  const message = { role: 'assistant' as const, content }
  if (fails) {
    yield { type: 'error', error: new ModelError(fails, 'as the script has it.'), message }
    return
  }
  const isCalling = content.some(({ type }) => type === 'tool-call')
  yield {
    type: 'finish',
    reason: reason ?? (isCalling ? 'tool-calls' : 'stop'),
    message,
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(output === undefined ? {} : { output }),
  }
}

function toCalls({ calls: wanted = [], invalid }: Said, nextId: () => string): ToolCallPart[] {
  const made = wanted.map(
    ([name, args]): ToolCallPart => ({ type: 'tool-call', id: nextId(), name, arguments: args }),
  )
  if (invalid === undefined) return made
  const [first] = made
  return first
    ? [{ ...first, arguments: {}, invalid: { text: invalid, reason: 'It is no JSON.' } }]
    : []
}

/** What it comes to; `undefined` where the signal says that nobody wants it any more. */
function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject)
  })
}

/** What a person said last. */
export function lastSaid({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')
  return (last?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** What the last calls came to, where nothing was said since. */
export function lastResults({ messages }: ModelRequest): string[] | undefined {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return undefined
  return last.content.map(({ content, isError }) => {
    const text = content
      .map((part) => (part.type === 'text' ? part.text : part.mediaType))
      .join('\n')
    return isError ? `failed: ${text}` : text
  })
}

/** Calls what it is told to, as `tool {json}`, and says what came of it. */
export const callsWhatIsSaid: Script = (request) => {
  const results = lastResults(request)
  if (results) return `It said: ${results.join(' | ')}`
  const [, name = '', args = '{}'] = /^(\S+)\s*(.*)$/s.exec(lastSaid(request)) ?? []
  return { calls: [[name, JSON.parse(args || '{}') as JsonObject]] }
}
