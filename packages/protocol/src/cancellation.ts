/** Told once when what it listens to is cancelled. An object, so that listening makes no closure. */
export interface CancelListener {
  onCancel(reason: unknown): void
}

/**
 * Cancels work, and everything begun on its behalf.
 *
 * It does what an `AbortController` does at a fraction of its price, and makes a real `AbortSignal`
 * the first time somebody reads one: an unread signal costs nothing (`AbortSignal.any` alone takes
 * about 3 µs).
 */
export class Cancellation {
  #cancelled = false
  #reason: unknown
  #first: CancelListener | undefined
  #others: Set<CancelListener> | undefined
  #controller: AbortController | undefined

  get cancelled(): boolean {
    return this.#cancelled
  }

  get reason(): unknown {
    return this.#reason
  }

  /** An `AbortSignal` that follows this cancellation, made when first read. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort(toAbortReason(this.#reason))
    }
    return this.#controller.signal
  }

  /** Tells every listener, once; what one throws is thrown when all are told. Later calls do nothing. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#reason = reason
    const listeners = [...(this.#first ? [this.#first] : []), ...(this.#others ?? [])]
    this.#first = undefined
    this.#others = undefined
    this.#controller?.abort(toAbortReason(reason))
    tellAll(listeners, reason)
  }

  /** Adds a listener. It is not told of a cancellation that already happened: look at `cancelled` first. */
  listen(listener: CancelListener): void {
    if (!this.#first) {
      this.#first = listener
      return
    }
    this.#others ??= new Set()
    this.#others.add(listener)
  }

  unlisten(listener: CancelListener): void {
    if (this.#first === listener) this.#first = undefined
    else this.#others?.delete(listener)
  }
}

/** What an aborted signal throws must be an error, as `fetch` and its like have it. */
function toAbortReason(reason: unknown): unknown {
  return typeof reason === 'string' ? new DOMException(reason, 'AbortError') : reason
}

function tellAll(listeners: readonly CancelListener[], reason: unknown): void {
  const failures: unknown[] = []
  for (const listener of listeners) {
    try {
      listener.onCancel(reason)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, 'Several listeners failed')
}
