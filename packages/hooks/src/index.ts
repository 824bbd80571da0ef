/**
 * When something happens, which calls are made, and what their answers do.
 *
 * @packageDocumentation
 */

export type {
  HookAnswer,
  HookChain,
  HookDirection,
  HookOutcome,
  HookRunner,
  Hooks,
  HookTrace,
} from './hook-chain.ts'
export { noHooks } from './no-hooks.ts'
