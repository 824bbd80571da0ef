/** Mobius without a network, with one observing hook on each call: a `defineServer` tool in process. */
import { compileHooks } from '@mobius-mcp/hooks'
import type { InProcessSubject } from './contract.ts'
import { openMobius } from './mobius-in-process.ts'

const hooks = compileHooks([
  {
    id: 'watch',
    point: 'tools/call',
    params: { server: 'echo', direction: 'request' },
    target: { server: 'watch', tool: 'seen' },
    mutate: false,
    with: { text: 'tools/call' },
  },
])

export function open(): Promise<InProcessSubject> {
  return openMobius(hooks)
}
