import type { HookChain, Hooks } from './hook-chain.ts'

/** The chain of everything that is not hooked. */
export const emptyChain: HookChain = {
  empty: true,
  run: ({ message }) => ({ message, trace: [] }),
}

/** Where nothing is hooked. */
export const noHooks: Hooks = { for: () => emptyChain }
