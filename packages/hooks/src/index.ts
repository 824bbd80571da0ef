/**
 * When something happens, which calls are made, and what their answers do.
 *
 * @packageDocumentation
 */

// Defining hooks
export type { HookDefinition, HookDirection, HookParams } from './hook-definition.ts'
export type { HookKey } from './parse-hook-key.ts'
export { parseHookKey } from './parse-hook-key.ts'
export type { HookTarget } from './parse-hook-target.ts'
export { parseHookTarget } from './parse-hook-target.ts'
export { isMessagePoint } from './message-points.ts'

// Running them
export type { CompileOptions } from './compile-hooks.ts'
export { compileHooks } from './compile-hooks.ts'
export { noHooks } from './no-hooks.ts'
export type {
  HookCall,
  HookChain,
  HookMatch,
  HookMessage,
  HookOutcome,
  HookRunner,
  Hooks,
  HookSubject,
  MatchIf,
} from './hook-chain.ts'

// What they say
export type { HookAnswer } from './hook-answer.ts'
export type { HookChange, HookDecision, HookTrace } from './hook-chain.ts'
export { describeDecision } from './describe-decision.ts'

// Names
export { compileGlob } from './glob.ts'
