import type { CallResult, JsonObject, Target } from '@mobius-mcp/protocol'

/** Whether a hook sees what is asked or what was answered. */
export type HookDirection = 'request' | 'response'

/** What a hook answers. Absent members mean "unchanged". */
export interface HookAnswer {
  /** `block` always denies; `approve` skips an ask, never a deny. */
  readonly decision?: 'approve' | 'ask' | 'block'
  readonly reason?: string
  /** The whole changed value. */
  readonly value?: JsonObject
  /** A change of the value. RFC 7396. */
  readonly patch?: JsonObject
  /** For the person, not for the model. */
  readonly systemMessage?: string
}

/** How a hook reaches its target: a `Caller`'s `call`, under the authority of whoever configured it. */
export type HookRunner = (target: Target, input: JsonObject) => Promise<CallResult>

/** What one hook did, for the trace. */
export interface HookTrace {
  readonly hook: string
  readonly target: Target
  readonly decision?: 'approve' | 'ask' | 'block'
  readonly reason?: string
  readonly changed: boolean
  readonly milliseconds: number
}

/** What a chain came to. */
export interface HookOutcome {
  /** The value as the changing hooks left it: the same object where none changed it. */
  readonly value: JsonObject
  readonly decision?: 'approve' | 'ask' | 'block'
  readonly reason?: string
  readonly trace: readonly HookTrace[]
}

/** The hooks of one (server, method, direction), compiled once. */
export interface HookChain {
  /** Nothing would run: callers skip the chain altogether. */
  readonly empty: boolean
  run(value: JsonObject, runner: HookRunner): Promise<HookOutcome>
}

/** All hooks of one configuration. */
export interface Hooks {
  /** The chain for one kind of message; the same object each time. */
  for(server: string, method: string, direction: HookDirection): HookChain
}
