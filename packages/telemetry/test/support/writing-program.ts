import { openCallLog } from '../../src/index.ts'
import { eventOf } from './events.ts'

/**
 * Records calls in the folder given, as many as asked for, and says how many are written after each
 * batch. Then it waits to be killed, unless it was asked to close.
 */
const [folder = '', count = '1', end = 'wait'] = process.argv.slice(2)
const batchSize = 10
const log = openCallLog({
  folder,
  batchSize,
  maxDelay: 3_600_000,
  onProblem: ({ code, message }) => process.stderr.write(`${code}: ${message}\n`),
})
process.stdin.resume()
for (let id = 1; id <= Number(count); id += 1) {
  log.write(eventOf(String(id)))
  if (id % batchSize === 0) await log.flush()
}
if (end === 'close') {
  await log.close()
  process.exit()
}
process.stdout.write('written\n')
