import { setImmediate } from 'node:timers/promises'

/** Lets everything that waits for promises alone go on. */
export async function settle(): Promise<void> {
  await setImmediate()
}
