/**
 * Counts the calls that began with a server and have not reached it yet, because hooks, rules, people
 * or its limit hold them up. A server that was replaced meanwhile is left to them.
 */
export class Holds {
  /** Called when the last of them has reached it, or never will. */
  onFree: (() => void) | undefined = undefined
  #count = 0

  get free(): boolean {
    return this.#count === 0
  }

  take(): void {
    this.#count += 1
  }

  release(): void {
    this.#count -= 1
    if (this.#count === 0) this.onFree?.()
  }
}
