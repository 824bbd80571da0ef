/** Mobius without a network, with one observing hook on each call: a `defineServer` tool in process. */
import { type HookChain, type Hooks, noHooks } from '@mobius-mcp/hooks'
import type { InProcessSubject } from './contract.ts'
import { openMobius } from './mobius-in-process.ts'

/** Looks at the final value and lets it pass, as an observing hook does. */
const observing: HookChain = {
  empty: false,
  async run(value, runner) {
    await runner({ server: 'watch', tool: 'seen' }, { text: 'tools/call' })
    return { value, trace: [] }
  },
}

const hooks: Hooks = {
  for: (server, method, direction) =>
    server === 'echo' && method === 'tools/call' && direction === 'request'
      ? observing
      : noHooks.for(server, method, direction),
}

export function open(): Promise<InProcessSubject> {
  return openMobius(hooks)
}
