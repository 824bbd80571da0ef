import type {
  HookCall,
  HookChain,
  HookMessage,
  HookOutcome,
  HookSubject,
  HookTrace,
} from '@mobius-mcp/hooks'
import type {
  CallResult,
  CancelListener,
  Cancellation,
  JsonObject,
  Origin,
} from '@mobius-mcp/protocol'
import type { HookCause } from './hook-cause.ts'
import { HookContext, type HookHost } from './hook-context.ts'

/** A message, the server that it goes to or comes from, and what it is about. */
export interface PassingMessage {
  readonly server: string
  readonly name: string
  readonly message: HookMessage
  /** The present time, where somebody has just read it. */
  readonly now?: number | undefined
}

/** What looking needs of the service. */
export interface LookingHost extends HookHost {
  onLog(server: string, line: string): void
}

/** Hooks at work on one message: given up together with what they are for. */
export class Looking implements HookSubject, CancelListener {
  readonly name: string
  readonly message: HookMessage
  readonly origin: Origin
  readonly call: JsonObject
  readonly now: number | undefined
  /** Has to be handed to `finish`. Never rejects. */
  readonly outcome: HookOutcome | Promise<HookOutcome>
  readonly #host: LookingHost
  readonly #cause: HookCause
  readonly #server: string
  #first: Cancellation | undefined = undefined
  #others: Cancellation[] | undefined = undefined

  constructor(host: LookingHost, chain: HookChain, cause: HookCause, passing: PassingMessage) {
    const { id, depth, origin, principal, cancellation, signal } = cause
    this.name = passing.name
    this.message = passing.message
    this.origin = origin
    this.call = { id, depth, origin, principal }
    this.now = cause.configuration.hooks.clock === host.clock ? passing.now : undefined
    this.#host = host
    this.#cause = cause
    this.#server = passing.server
    cancellation?.listen(this)
    signal?.addEventListener('abort', this)
    this.outcome = chain.run(this, (call) => this.#run(call))
  }

  /** The hooks are done. */
  finish(outcome: HookOutcome): HookOutcome {
    this.#cause.cancellation?.unlisten(this)
    this.#cause.signal?.removeEventListener('abort', this)
    this.#account(outcome.trace)
    return outcome
  }

  onCancel(reason: unknown): void {
    this.#first?.cancel(reason)
    for (const cancellation of this.#others ?? []) cancellation.cancel(reason)
  }

  /** An `AbortSignal` calls its listeners by this name. */
  handleEvent(): void {
    this.onCancel(this.#cause.signal?.reason)
  }

  #run(call: HookCall): CallResult | Promise<CallResult> {
    if (!this.#first) this.#first = call.cancellation
    else {
      this.#others ??= []
      this.#others.push(call.cancellation)
    }
    return new HookContext(this.#host, this.#cause, call).caller.callNow(call.target, call.input)
  }

  /** What belongs to a call stands in its event; all else that had an effect, in the log. */
  #account(trace: readonly HookTrace[]): void {
    if (this.#cause.addTrace) {
      if (trace.length > 0) this.#cause.addTrace(trace)
      return
    }
    for (const { method, change, failure, hook, target } of trace) {
      if (!(change || failure)) continue
      const did = change ? 'changed it' : `failed: ${failure}`
      this.#host.onLog(
        this.#server,
        `${method}: hook ${hook} (${target.server}/${target.tool}) ${did}`,
      )
    }
  }
}
