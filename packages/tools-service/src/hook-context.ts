import type { HookCall } from '@mobius-mcp/hooks'
import type {
  Cancellation,
  Clock,
  JsonObject,
  MessageContext,
  Origin,
  Principal,
  Session,
} from '@mobius-mcp/protocol'
import type { BoundCaller } from './bound-caller.ts'
import type { CallNode, CallTiming } from './call.ts'
import type { Configuration } from './configuration.ts'
import type { HookCause } from './hook-cause.ts'

/** What hooks run under: a root session of their own, for whoever configured them. */
export interface HookActor {
  readonly session: Session
  readonly principal: Principal
  callerFor(context: MessageContext): BoundCaller
}

/** What hooks run under, and what measures their times. */
export interface HookHost {
  readonly actor: HookActor
  readonly clock: Clock
}

/**
 * The context in which one hook makes its call. The authority is that of whoever configured the
 * hook; the place in the tree of calls is below what is hooked, and says so.
 */
export class HookContext implements MessageContext, CallNode {
  readonly id: string
  readonly origin: Origin
  readonly depth: number
  readonly hops: readonly string[]
  readonly configuration: Configuration
  readonly cancellation: Cancellation
  readonly times: CallTiming | undefined
  readonly #actor: HookActor

  constructor({ actor, clock }: HookHost, cause: HookCause, call: HookCall) {
    const { hook, cancellation } = call
    this.times = cause.configuration.hooks.clock === clock ? call : undefined
    this.id = cause.id
    this.origin = { kind: 'hook', name: hook, cause: cause.origin }
    this.depth = cause.depth
    this.hops = cause.hops
    this.configuration = cause.configuration
    this.cancellation = cancellation
    this.#actor = actor
  }

  get call(): CallNode {
    return this
  }

  get session(): Session {
    return this.#actor.session
  }

  get principal(): Principal {
    return this.#actor.principal
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): BoundCaller {
    return this.#actor.callerFor(this)
  }

  progress(): void {
    // A hook's progress is not that of what it hooks.
  }

  notify(): void {
    // Nor are its log lines.
  }

  ask(method: string, params: JsonObject): Promise<JsonObject> {
    return this.session.request(method, params)
  }
}
