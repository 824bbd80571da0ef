import type { GatewayProcess } from '../../../src/fidelity/gateway-process.ts'

/** What a process holds after its garbage was collected. */
export interface Held {
  readonly heap: number
  /** What keeps its event loop alive, by kind. */
  readonly resources: Readonly<Record<string, number>>
  /** Listeners on the process itself. */
  readonly listeners: number
  readonly warnings: readonly string[]
}

/** For the environment of a process that is to be measured. */
export const measurable: Record<string, string> = {
  NODE_OPTIONS: `--import=${new URL('./measure.mjs', import.meta.url).href}`,
}

/** Measures a gateway that was started with `measurable`. */
export async function measure({ pid, said }: GatewayProcess): Promise<Held> {
  const from = said.length
  process.kill(pid, 'SIGUSR2')
  for (;;) {
    const line = said.slice(from).find((each) => each.startsWith('measured '))
    if (line !== undefined) return JSON.parse(line.slice('measured '.length)) as Held
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
