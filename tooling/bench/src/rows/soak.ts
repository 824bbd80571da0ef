import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import type { Inspection } from '../process/inspect.ts'
import { formatBytes, formatNumber } from '../report/format.ts'
import { type Check, type RowReport, toCheck } from '../report/report.ts'
import { type RunningSubject, type Subject, stdioEcho } from '../subjects/subject.ts'
import { echoSubjects, mobius, upstreamSubjects } from '../subjects/subjects.ts'

interface Soaked {
  subject: Subject
  over: string
  calls: number
  before: Inspection
  after: Inspection
}

const idleTime = 1_000
/** What a collected heap may differ by; anything kept for each call would be several times that. */
const bytesPerCallAllowed = 16

/** Many calls, then nothing: what a process still holds that it did not hold before. */
export async function measureSoak(bench: Bench): Promise<RowReport> {
  const soaked: Soaked[] = []
  for (const subject of echoSubjects()) soaked.push(await soak(bench, subject, 'in process'))
  for (const subject of upstreamSubjects(stdioEcho(), bench.peers)) {
    soaked.push(await soak(bench, subject, 'stdio'))
  }
  return {
    title: 'Many calls, then idle',
    checks: ['in process', 'stdio'].map((over) => toSoakCheck(soaked, over)),
    tables: [
      {
        columns: ['subject', 'echo', 'calls', 'heap before', 'more after', ...kept, 'warnings'],
        rows: soaked.map(toRow),
      },
    ],
    notes: [
      'As many calls are made once before, so that what fills up to a bound is full: all in one session, 16 in flight, which stays open.',
      'Handles are what keeps the event loop alive; listeners are those on the process and on these handles.',
    ],
  }
}

const kept = ['handles', 'listeners', 'emitters', 'abort signals', 'promises']

async function soak(bench: Bench, subject: Subject, over: string): Promise<Soaked> {
  bench.say(`soak: ${subject.name}, ${over}`)
  await using running = await subject.start()
  const { soakCalls } = bench.settings
  // Peers only stand beside; at their speed the full count would take minutes.
  const calls = subject.role === 'peer' ? soakCalls / 5 : soakCalls
  await bench.load.ask('open', running.target)
  const before = await callAndInspect(bench, running, calls)
  const after = await callAndInspect(bench, running, calls)
  await bench.load.ask('end')
  return { subject, over, calls, before, after }
}

/** The session stays open: what is kept for each of its calls would go with it. */
async function callAndInspect(
  { load }: Bench,
  { child }: RunningSubject,
  calls: number,
): Promise<Inspection> {
  const { failed, failure } = await load.ask('run', { inFlight: 16, warmUp: 0, calls })
  if (failed > 0) throw new Error(`${failed} of ${calls} calls failed, such as: ${failure}`)
  await sleep(idleTime)
  return await child.ask('inspect')
}

function toRow({ subject, over, calls, before, after }: Soaked): string[] {
  return [
    `${subject.name} (${subject.role})`,
    over,
    formatNumber(calls),
    formatBytes(before.heapUsed),
    formatBytes(after.heapUsed - before.heapUsed),
    `${handlesOf(before)} → ${handlesOf(after)}`,
    `${before.listeners} → ${after.listeners}`,
    ...(['emitters', 'signals', 'promises'] as const).map(
      (key) => `${before.objects[key]} → ${after.objects[key]}`,
    ),
    after.warnings[0] ?? 'none',
  ]
}

function toSoakCheck(soaked: Soaked[], over: string): Check {
  const found = soaked.find((one) => one.subject.name === mobius && one.over === over)
  return toCheck(
    `many calls, then idle (${over} echo)`,
    `heap (≤ ${bytesPerCallAllowed} B a call of noise), handles, listeners as before`,
    found && toSoakVerdict(found),
  )
}

function toSoakVerdict({ before, after, calls }: Soaked): { measured: string; met: boolean } {
  const heap = (after.heapUsed - before.heapUsed) / calls
  const handles = handlesOf(after) - handlesOf(before)
  const listeners = after.listeners - before.listeners
  return {
    measured: `${formatNumber(heap, 1)} B a call, ${handles} handles and ${listeners} listeners more, ${after.warnings.length} warnings`,
    met:
      heap <= bytesPerCallAllowed && handles <= 0 && listeners <= 0 && after.warnings.length === 0,
  }
}

function handlesOf({ resources }: Inspection): number {
  return Object.values(resources).reduce((sum, count) => sum + count, 0)
}
