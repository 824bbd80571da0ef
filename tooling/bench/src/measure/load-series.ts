import type { Bench } from '../bench.ts'
import type { LoadResult } from '../load/run.ts'
import { residentOf } from '../process/resident.ts'
import type { RunningSubject, Subject } from '../subjects/subject.ts'
import { interleave } from './rounds.ts'

/** All samples of one subject with so many calls in flight, and what it held when they were done. */
export interface LoadSeries {
  subject: Subject
  inFlight: number
  samples: LoadSample[]
  /** Bytes of the subject's processes after the last sample; `undefined` where it cannot be told. */
  resident: number | undefined
}

export interface LoadSample extends LoadResult {
  /** Processor time of the subject's own process for one call, in microseconds; its upstream's is not in it. */
  cpuPerCall: number
}

interface Contestant extends Pick<LoadSeries, 'subject' | 'inFlight'> {
  running: RunningSubject
  calls: number
}

const warmUpCalls = 1_500
const sampleWarmUp = 200
const mostCalls = 60_000

/** Starts all subjects, fixes each one's count, then takes their samples in turn. */
export async function measureLoads(
  bench: Bench,
  subjects: readonly Subject[],
): Promise<LoadSeries[]> {
  await using running = new AsyncDisposableStack()
  const contestants: Contestant[] = []
  for (const subject of subjects) {
    const started = running.use(await subject.start())
    for (const inFlight of bench.settings.inFlight) {
      contestants.push(await calibrate(bench, { subject, inFlight, running: started }))
    }
  }
  const samples = await interleave(contestants, bench.settings.rounds, (contestant) =>
    takeSample(bench, contestant),
  )
  return contestants.map((contestant) => ({
    subject: contestant.subject,
    inFlight: contestant.inFlight,
    samples: samples.get(contestant) ?? [],
    resident: residentOf(contestant.running.child.pid),
  }))
}

/** Warms it up twice: the second rate, of compiled code, says how many calls make a sample. */
async function calibrate(bench: Bench, contestant: Omit<Contestant, 'calls'>): Promise<Contestant> {
  const { settings, say } = bench
  const cold = await takeSample(bench, { ...contestant, calls: warmUpCalls })
  const warm = await takeSample(bench, { ...contestant, calls: toCount(cold, settings) })
  const calls = toCount(warm, settings)
  say(`  ${contestant.subject.name}, ${contestant.inFlight} in flight: ${calls} calls a sample`)
  return { ...contestant, calls }
}

function toCount({ callsPerSecond }: LoadResult, { sampleSeconds }: Bench['settings']): number {
  return Math.round(Math.min(mostCalls, Math.max(200, callsPerSecond * sampleSeconds)))
}

async function takeSample({ load }: Bench, contestant: Contestant): Promise<LoadSample> {
  const { running, inFlight, calls } = contestant
  const before = await running.child.ask('cpu')
  const result = await load.ask('measure', {
    target: running.target,
    inFlight,
    warmUp: sampleWarmUp,
    calls,
  })
  const after = await running.child.ask('cpu')
  return { ...result, cpuPerCall: (after - before) / (calls + sampleWarmUp) }
}
