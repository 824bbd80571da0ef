import { ProtocolError } from '@mobius-mcp/protocol'
import type { PrincipalName, Threads } from '@mobius-mcp/state'
import type { ChatItem, PlacedItem } from './items.ts'
import { toPlain } from './to-plain.ts'

const pageSize = 500

/** The items of one thread, read once and then followed. */
export class ThreadLog {
  readonly #threads: Threads
  readonly #principal: PrincipalName
  readonly #id: string
  readonly #items: PlacedItem[] = []
  #last = 0

  constructor(threads: Threads, principal: PrincipalName, id: string) {
    this.#threads = threads
    this.#principal = principal
    this.#id = id
  }

  get items(): readonly PlacedItem[] {
    return this.#items
  }

  /** Reads what was appended since, by whomever. */
  async catchUp(): Promise<void> {
    for (;;) {
      const query = { after: this.#last, limit: pageSize }
      const items = await this.#threads.items(this.#principal, this.#id, query)
      if (!items) throw gone(this.#id)
      for (const item of items) {
        // Somebody else may have been reading at the same time.
        if (item.sequence <= this.#last) continue
        this.#last = item.sequence
        // Only this package writes into threads.
        this.#items.push({ ...item, value: item.value as ChatItem })
      }
      if (items.length < pageSize) return
    }
  }

  /**
   * Appends an item, unless one of this id is there. Resolves with the sequence of the last item
   * when it was appended.
   *
   * @throws ProtocolError `INVALID_PARAMS` where somebody deleted the thread.
   */
  async append(id: string, value: ChatItem, at: number): Promise<number> {
    const addition = { items: [{ id, value: toPlain(value) }], at }
    const thread = await this.#threads.append(this.#principal, this.#id, addition)
    if (!thread) throw gone(this.#id)
    await this.catchUp()
    return thread.last
  }
}

function gone(id: string): ProtocolError {
  return new ProtocolError('INVALID_PARAMS', `There is no thread ${id}: it was deleted`)
}
