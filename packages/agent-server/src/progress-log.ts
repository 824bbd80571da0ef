import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** Something that happens in a turn, for whoever looks on. `type` says what. */
export interface ChatEvent extends JsonObject {
  readonly type: string
}

/** What happened after a cursor, and the cursor behind it. */
export interface ProgressPage {
  readonly events: readonly ChatEvent[]
  readonly cursor: string
}

/**
 * What happens in the present turn of a thread, or happened in its last one, to be read bit by bit:
 * each reader gets each event once, deltas that belong together as one.
 */
export class ProgressLog {
  /** A cursor of another process, or of a log that was let go, is recognised by it. */
  readonly #era = crypto.randomUUID().slice(0, 8)
  #events: ChatEvent[] = []
  /** How many events came before those that are kept. */
  #before = 0

  /** A turn begins: what happened in the one before is in the thread. */
  begin(): void {
    this.#before += this.#events.length
    this.#events = []
  }

  add(event: ChatEvent): void {
    this.#events.push(event)
  }

  /** All of the turn without a cursor, or with one that is not known. */
  read(cursor?: string): ProgressPage {
    const [era, count] = (cursor ?? '').split('.')
    const from = era === this.#era ? Math.max(0, Number(count) - this.#before) : 0
    const events = join(this.#events.slice(Number.isSafeInteger(from) ? from : 0))
    return { events, cursor: `${this.#era}.${this.#before + this.#events.length}` }
  }
}

function join(events: readonly ChatEvent[]): ChatEvent[] {
  const joined: ChatEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    const together = last && joinTwo(last, event)
    if (together) joined[joined.length - 1] = together
    else joined.push(event)
  }
  return joined
}

function joinTwo(left: ChatEvent, right: ChatEvent): ChatEvent | undefined {
  if (left.type !== right.type || left.id !== right.id) return undefined
  if (typeof left.text === 'string' && typeof right.text === 'string') {
    return left.type.endsWith('-delta') ? { ...left, text: left.text + right.text } : undefined
  }
  const { event: inner } = left
  const { event: next } = right
  if (!isEvent(inner) || !isEvent(next)) return undefined
  const nested = joinTwo(inner, next)
  return nested && { ...left, event: nested }
}

function isEvent(value: unknown): value is ChatEvent {
  return isObject(value) && typeof value.type === 'string'
}
