import type { ErrorEvent, FinishEvent, Model, ModelEvent, ModelRequest } from '../../src/index.ts'

export interface Answer {
  readonly events: readonly ModelEvent[]
  readonly text: string
  readonly reasoning: string
  readonly end: FinishEvent | ErrorEvent
}

/** Reads an answer to its end. */
export async function ask(
  model: Model,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, signal ? { signal } : {})) events.push(event)
  const end = events.at(-1)
  if (end?.type !== 'finish' && end?.type !== 'error') throw new Error('The stream had no end.')
  const said = (type: 'text-delta' | 'reasoning-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('')
  return { events, text: said('text-delta'), reasoning: said('reasoning-delta'), end }
}

/** The end of an answer that must have succeeded. */
export function finished({ end }: Answer): FinishEvent {
  if (end.type === 'error') throw end.error
  return end
}

/** The end of an answer that must have failed. */
export function failed({ end }: Answer): ErrorEvent {
  if (end.type !== 'error') throw new Error(`Expected an error, received ${JSON.stringify(end)}`)
  return end
}

export function userSays(text: string): ModelRequest {
  return { messages: [{ role: 'user', content: [{ type: 'text', text }] }] }
}
