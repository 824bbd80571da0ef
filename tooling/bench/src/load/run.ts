import { openClient } from '../http/client.ts'
import type { Channel, Client, Outcome, Target } from '../http/contract.ts'
import { toBody } from '../http/message.ts'
import { within } from '../http/within.ts'

/** A fixed number of `tools/call`s, so many in flight. */
export interface Load {
  inFlight: number
  /** Calls before the clock starts. */
  warmUp: number
  calls: number
}

export interface LoadResult {
  callsPerSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  failed: number
  /** What the first failure said. */
  failure?: string
  /** The part of the time that the generator's own processor was busy; near 1, the generator was the limit. */
  busy: number
}

interface Series {
  channels: Channel[]
  tool: string
  firstId: number
  calls: number
}

interface SeriesResult {
  latencies: Float64Array
  failures: string[]
}

const firstId = 1_000_000
/** A subject that loses an answer would stall the run. */
const patience = 60_000

/** Makes the calls in a session of their own, which ends with them. */
export async function runLoad({ target, ...load }: Load & { target: Target }): Promise<LoadResult> {
  const client = await openClient(target)
  try {
    return await runLoadIn(client, target.tool, load)
  } finally {
    await client.close()
  }
}

/** Makes the calls in a session that stays open, over connections that do not. */
export async function runLoadIn(client: Client, tool: string, load: Load): Promise<LoadResult> {
  const { inFlight, warmUp, calls } = load
  const channels = await Promise.all(Array.from({ length: inFlight }, () => client.openChannel()))
  const series = { channels, tool }
  try {
    const warming = callAll({ ...series, firstId, calls: warmUp })
    const warm = await within(patience, 'the warm-up', warming)
    const usage = process.cpuUsage()
    const start = performance.now()
    const measured = callAll({ ...series, firstId: firstId + warmUp, calls })
    const result = await within(patience, `${calls} calls`, measured)
    const elapsed = performance.now() - start
    const { user, system } = process.cpuUsage(usage)
    return summarize(result, warm.failures, { elapsed, busy: (user + system) / 1_000 / elapsed })
  } finally {
    for (const channel of channels) channel.close()
  }
}

/** Callbacks, not promises: the generator must cost less than anything it measures. */
function callAll({ channels, tool, firstId, calls }: Series): Promise<SeriesResult> {
  const latencies = new Float64Array(calls)
  const failures: string[] = []
  let started = 0
  let finished = 0
  return new Promise((resolve) => {
    function next(channel: Channel): void {
      if (started === calls) return
      const call = started++
      const id = firstId + call
      const sent = performance.now()
      channel.exchange(id, toCallBody(id, tool), (outcome) => {
        latencies[call] = performance.now() - sent
        const failure = findFailure(outcome, id)
        if (failure !== undefined) failures.push(failure)
        finished++
        if (finished === calls) resolve({ latencies, failures })
        else if (outcome instanceof Error) setTimeout(next, 5, channel)
        else next(channel)
      })
    }
    if (calls === 0) resolve({ latencies, failures })
    for (const channel of channels) next(channel)
  })
}

function toCallBody(id: number, tool: string): string {
  return toBody(id, { method: 'tools/call', params: { name: tool, arguments: { text: `t${id}` } } })
}

/** Each answer must carry its own call's text: an error or another's answer is not one. */
function findFailure(outcome: Outcome, id: number): string | undefined {
  if (outcome instanceof Error) return outcome.message
  return outcome.includes(`"t${id}"`) ? undefined : outcome.slice(0, 300)
}

function summarize(
  { latencies, failures }: SeriesResult,
  earlier: string[],
  { elapsed, busy }: { elapsed: number; busy: number },
): LoadResult {
  const sorted = latencies.toSorted()
  const [failure] = [...earlier, ...failures]
  return {
    callsPerSecond: (latencies.length / elapsed) * 1_000,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    failed: earlier.length + failures.length,
    busy,
    ...(failure === undefined ? {} : { failure }),
  }
}
