/** Preloaded into every process that is measured, ours or not: tells what it holds. */
import { EventEmitter } from 'node:events'
import { queryObjects } from 'node:v8'
import { answerCommands } from './commands.ts'

/** What a process holds after its garbage was collected. */
export interface Inspection {
  heapUsed: number
  external: number
  /** What keeps the event loop alive, by kind. */
  resources: { [kind: string]: number }
  /** Listeners on the process and on everything that keeps the event loop alive. */
  listeners: number
  /** Living objects of the kinds that leak first. */
  objects: { emitters: number; signals: number; promises: number }
  /** Warnings so far, such as those about too many listeners. */
  warnings: string[]
}

/** The commands that every measured process answers. */
export interface InspectCommands {
  inspect: () => Promise<Inspection>
  /** Processor time so far, in microseconds. */
  cpu: () => number
}

const warnings: string[] = []
process.on('warning', ({ name, message }) => {
  // Ours: `queryObjects` is experimental.
  if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}`)
})
process.on('disconnect', () => process.exit(0))

const commands: InspectCommands = { inspect, cpu }
answerCommands(commands)

async function inspect(): Promise<Inspection> {
  // Counting objects collects all available garbage first, which `gc()` alone does not: compiled code nobody needs.
  countObjects()
  await collectGarbage()
  const objects = countObjects()
  const { heapUsed, external } = process.memoryUsage()
  return {
    heapUsed,
    external,
    resources: countByKind(process.getActiveResourcesInfo()),
    listeners: countListeners(),
    objects,
    warnings,
  }
}

function countObjects(): Inspection['objects'] {
  return {
    emitters: queryObjects(EventEmitter, { format: 'count' }),
    signals: queryObjects(AbortSignal, { format: 'count' }),
    promises: queryObjects(Promise, { format: 'count' }),
  }
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Finalizers and weak references need a turn of the loop between two collections. */
async function collectGarbage(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function countByKind(kinds: string[]): { [kind: string]: number } {
  const counts: { [kind: string]: number } = {}
  for (const kind of kinds.toSorted()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function countListeners(): number {
  // Undocumented, but the only way to reach what is active without the cooperation of the subject.
  const { _getActiveHandles } = process as unknown as { _getActiveHandles(): unknown[] }
  const emitters = _getActiveHandles
    .call(process)
    .filter((handle) => handle instanceof EventEmitter)
  return [process, ...emitters].reduce((sum, emitter) => sum + listenersOf(emitter), 0)
}

function listenersOf(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
}
