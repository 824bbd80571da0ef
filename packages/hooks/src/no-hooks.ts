import type { HookChain, Hooks } from './hook-chain.ts'

const emptyChain: HookChain = {
  empty: true,
  run: async (value) => ({ value, trace: [] }),
}

/** Where nothing is hooked. */
export const noHooks: Hooks = { for: () => emptyChain }
