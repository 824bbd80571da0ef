import { type CancelListener, Cancellation, type ProtocolError } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import { takenBack } from './refusals.ts'

/** Notices, while a call waits for something, that whoever made it takes it back. Stop it afterwards. */
export class Withdrawal implements CancelListener {
  readonly cancellation: Cancellation = new Cancellation()
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
    const { cancellation, signal } = call
    cancellation.listen(this)
    signal?.addEventListener('abort', this)
    if (cancellation.cancelled) this.onCancel(cancellation.reason)
    else if (signal?.aborted) this.handleEvent()
  }

  /** What the call ends with once it was taken back. */
  get error(): ProtocolError {
    return takenBack(this.#call.label, this.cancellation.reason)
  }

  onCancel(reason: unknown): void {
    this.cancellation.cancel(reason)
  }

  /** An `AbortSignal` calls its listeners by this name. */
  handleEvent(): void {
    this.onCancel(this.#call.signal?.reason)
  }

  stop(): void {
    this.#call.cancellation.unlisten(this)
    this.#call.signal?.removeEventListener('abort', this)
  }
}
