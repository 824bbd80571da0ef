import type {
  CallResult,
  Cancellation,
  Clock,
  ErrorObject,
  JsonObject,
  Origin,
  Target,
} from '@mobius-mcp/protocol'
import type { HookDirection } from './hook-definition.ts'

/** What a hook sees, and may change: a request, or with `result` or `error` its answer. */
export interface HookMessage {
  readonly method: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: ErrorObject
}

/** One message on its way, and what led to it. */
export interface HookSubject {
  /** The tool's or prompt's own name, or the resource's URI; empty where the method has none. */
  readonly name: string
  readonly message: HookMessage
  /** A hook that is in it does not fire again. */
  readonly origin: Origin
  /** What hooks are told beside the message: who calls, from where. */
  readonly call?: JsonObject | undefined
  /** The present time by the clock of the hooks, where somebody has just read it: reading costs more than all else here. */
  readonly now?: number | undefined
}

/** A message as the conditions of a hook see it. */
export interface HookMatch {
  readonly server: string
  readonly method: string
  readonly name: string
  readonly direction: HookDirection
  readonly message: HookMessage
}

/** Reads a hook's `if` once, and gives what decides for each message. */
export type MatchIf = (text: string) => (match: HookMatch) => boolean

/** One use of a hook's target. */
export interface HookCall {
  /** The hook's id. */
  readonly hook: string
  readonly target: Target
  /** The target's arguments. */
  readonly input: JsonObject
  /** By the clock of the hooks. */
  readonly startedAt: number
  /** When its answer came, by the same clock: set by a runner that has just read it. */
  endedAt: number | undefined
  /** In milliseconds; after that, nobody waits. */
  readonly timeout: number
  /** Cancelled when nobody waits for the answer any more. */
  readonly cancellation: Cancellation
}

/** How a hook reaches its target: a `Caller`'s `call`, under the authority of whoever configured it. */
export type HookRunner = (call: HookCall) => CallResult | Promise<CallResult>

/** What a hook has decided. `block` always denies; `approve` skips an ask, never a deny. */
export type HookDecision = 'approve' | 'ask' | 'block'

/** What a hook changed. */
export interface HookChange {
  /** SHA-256 of the message as the hook left it, in hexadecimal. */
  readonly hash: string
  /** RFC 7396; absent where it is redacted, or too large to keep. */
  readonly patch?: JsonObject
}

/** What one hook did. */
export interface HookTrace {
  readonly hook: string
  readonly target: Target
  /** Of the message that it saw. */
  readonly method: string
  readonly direction: HookDirection
  readonly milliseconds: number
  readonly decision?: HookDecision
  readonly reason?: string
  /** For the person, not for the model. */
  readonly systemMessage?: string
  readonly change?: HookChange
  /** Why it failed. */
  readonly failure?: string
}

/** What a chain came to. */
export interface HookOutcome {
  /** The message as the changing hooks left it: the same object where none changed it. */
  readonly message: HookMessage
  /** Of several, the strictest: block, ask, approve. */
  readonly decision?: HookDecision
  /** What the hook that decided did. */
  readonly by?: HookTrace
  readonly trace: readonly HookTrace[]
}

/** The hooks of one (server, method, direction), compiled once. */
export interface HookChain {
  /** Nothing would run: callers skip the chain altogether. */
  readonly empty: boolean
  /** Never rejects: what goes wrong is a hook's failure, and a decision. */
  run(subject: HookSubject, runner: HookRunner): HookOutcome | Promise<HookOutcome>
}

/** All hooks of one configuration. */
export interface Hooks {
  /** What measures their times; none where there are no hooks. */
  readonly clock?: Clock | undefined
  /** The chain for one kind of message, compiled when first asked for. */
  for(server: string, method: string, direction: HookDirection): HookChain
}
