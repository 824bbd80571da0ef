import { setImmediate } from 'node:timers/promises'

/** Lets everything that waits for promises alone go on. */
export async function settle(): Promise<void> {
  await setImmediate()
}

const patience = 4000

/** Lets work go on until a condition holds: other threads do some of it, in their own time. */
export async function settleUntil(condition: () => boolean): Promise<void> {
  const until = performance.now() + patience
  while (!condition() && performance.now() < until) await setImmediate()
}
