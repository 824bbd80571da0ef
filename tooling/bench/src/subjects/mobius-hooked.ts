/** Mobius without a network, with one observing hook on each call: a `defineServer` tool in process. */
import type { InProcessSubject } from './contract.ts'
import { openMobius } from './mobius-in-process.ts'
import { watching } from './mobius-service.ts'

export function open(): Promise<InProcessSubject> {
  return openMobius(watching)
}
