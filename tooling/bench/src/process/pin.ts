import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

type Command = [string, ...string[]]

/** From util-linux; a platform without it measures unpinned. */
const taskset = 'taskset'

/** Whether processes can be pinned here: Linux with `taskset` and two processors. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync(taskset, ['--version']).status === 0
}

/** The same command, pinned to one processor where that is possible. What it starts inherits the pin. */
export function pinnedCommand(cpu: number, command: Command): Command {
  return canPin() ? [taskset, '--cpu-list', String(cpu), ...command] : command
}
