import { setImmediate } from 'node:timers/promises'

/** Lets everything that waits for promises alone go on. */
export async function settle(): Promise<void> {
  await setImmediate()
}

/** Lets work go on until a condition holds, or nothing is left to hope for: some of it is done by other threads. */
export async function settleUntil(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1000 && !condition(); turns++) await setImmediate()
}
