// Preloaded into a process: at SIGUSR2 it says on stderr what it holds after its garbage was collected.
import { EventEmitter } from 'node:events'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const warnings = []
process.on('warning', ({ name, message }) => {
  // Ours: `queryObjects` is experimental.
  if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}`)
})

process.on('SIGUSR2', async () => {
  // Counting collects all there is, which `gc` does not: compiled code that nobody needs.
  queryObjects(EventEmitter, { format: 'count' })
  // Finalizers and weak references need a turn of the loop between two collections.
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const held = {
    heap: process.memoryUsage().heapUsed,
    resources: countByKind(process.getActiveResourcesInfo()),
    listeners: listenersOf(process),
    warnings,
  }
  process.stderr.write(`measured ${JSON.stringify(held)}\n`)
})

function countByKind(kinds) {
  const counts = {}
  for (const kind of kinds.toSorted()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function listenersOf(emitter) {
  return EventEmitter.prototype.eventNames
    .call(emitter)
    .reduce((sum, name) => sum + emitter.listenerCount(name), 0)
}
