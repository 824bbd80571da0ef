import { cpus, loadavg, release, totalmem } from 'node:os'
import { canPin } from '../process/pin.ts'
import { formatNumber } from './format.ts'

/** Above this, somebody else is at work. */
const busy = 0.5

/** The machine in a few lines, with what else may have disturbed the run. */
export function describeMachine(): string[] {
  const processors = cpus()
  const load = loadavg()[0] ?? 0
  return [
    `${processors[0]?.model ?? 'unknown processor'}, ${processors.length} cores, ${formatNumber(totalmem() / 2 ** 30)} GiB`,
    `${process.platform} ${release()}, Node ${process.version}`,
    canPin()
      ? 'pinned with taskset: the load on core 0, each subject with all it starts on core 1'
      : 'not pinned: no taskset, or one core',
    `load average when the run began: ${formatNumber(load, 2)}${load > busy ? ', so others used the machine and the figures are rough' : ''}`,
  ]
}
