import type { Clock, Deadlines } from '@mobius-mcp/protocol'
import type { HookMessage, HookRunner, HookSubject, HookTrace } from './hook-chain.ts'

/** What all hooks of a chain need to run. */
export interface HookUse {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly subject: HookSubject
  readonly runner: HookRunner
  /** The present time, where it is known already. */
  readonly now?: number | undefined
}

/** What one hook came to. */
export interface HookStep {
  readonly trace: HookTrace
  /** As it left it. */
  readonly message: HookMessage
}
