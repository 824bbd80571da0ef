import type { LoadSample, LoadSeries } from '../measure/load-series.ts'
import { best, type Ratio, ratioOf } from '../measure/statistic.ts'
import { formatBytes, formatNumber, formatRatio } from './format.ts'
import { type Check, type Table, toCheck } from './report.ts'

const columns = [
  'p50 ms',
  'p99 ms',
  'its CPU, µs a call',
  'RSS with children',
  'failed',
  'generator busy',
]

/** The subjects side by side, for each the best of its rounds, and how it stands to one of them. */
export function toLoadTable(series: readonly LoadSeries[], reference: string): Table {
  return {
    columns: ['subject', 'in flight', 'calls/s', `× ${reference}`, ...columns],
    rows: series.map((one) => [
      `${one.subject.name} (${one.subject.role})`,
      String(one.inFlight),
      formatNumber(best(valuesOf(one.samples, 'callsPerSecond'), 'more')),
      toRelation(one, findSeries(series, reference, one.inFlight)),
      ...toCells(one),
    ]),
  }
}

function toRelation({ samples }: LoadSeries, reference: LoadSeries | undefined): string {
  if (reference === undefined) return '–'
  const speeds = valuesOf(samples, 'callsPerSecond')
  return formatNumber(
    ratioOf(speeds, valuesOf(reference.samples, 'callsPerSecond'), 'more').best,
    2,
  )
}

function toCells({ samples, resident }: LoadSeries): string[] {
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0)
  const failure = samples.find((sample) => sample.failure !== undefined)?.failure
  return [
    formatNumber(best(valuesOf(samples, 'p50'), 'less'), 2),
    formatNumber(best(valuesOf(samples, 'p99'), 'less'), 2),
    formatNumber(best(valuesOf(samples, 'cpuPerCall'), 'less'), 1),
    resident === undefined ? '–' : formatBytes(resident),
    failure === undefined ? String(failed) : `${failed}: ${failure.slice(0, 80)}`,
    `${formatNumber(best(valuesOf(samples, 'busy'), 'more') * 100)} %`,
  ]
}

/** Whether one subject makes at least so many times the calls of another, both with so many in flight. */
export function toSpeedCheck(
  series: readonly LoadSeries[],
  check: {
    what: string
    subject: string
    against: readonly string[]
    inFlight: number
    atLeast: number
  },
): Check {
  const { what, subject, against, inFlight, atLeast } = check
  const own = findSeries(series, subject, inFlight)
  const relations = against
    .map((name) => findSeries(series, name, inFlight))
    .flatMap((reference) => toRelations(own, reference))
    .toSorted((a, b) => a.speed.best - b.speed.best)
  const budget = `≥ ${atLeast} × ${against.length === 1 ? against[0] : `the best of ${against.join(', ')}`}`
  if (own !== undefined && hasFailed(own)) {
    return toCheck(what, budget, { measured: 'some calls failed', met: false })
  }
  if (relations.length === 0) return toCheck(what, budget, undefined)
  return toCheck(what, budget, {
    measured: relations.map(formatRelation).join('; '),
    met: relations.every(({ speed }) => speed.best >= atLeast),
  })
}

interface Relation {
  name: string
  speed: Ratio
  /** The same by processor time, which other users of the machine disturb less. */
  byCpu: number
}

/** One, or none where a side is absent or failed a call: then there is no speed. */
function toRelations(own: LoadSeries | undefined, reference: LoadSeries | undefined): Relation[] {
  if (own === undefined || reference === undefined) return []
  if (hasFailed(own) || hasFailed(reference)) return []
  const [ownCpu, referenceCpu] = [own, reference].map(({ samples }) =>
    best(valuesOf(samples, 'cpuPerCall'), 'less'),
  )
  return [
    {
      name: reference.subject.name,
      speed: ratioOf(
        valuesOf(own.samples, 'callsPerSecond'),
        valuesOf(reference.samples, 'callsPerSecond'),
        'more',
      ),
      byCpu: (referenceCpu ?? Number.NaN) / (ownCpu ?? Number.NaN),
    },
  ]
}

function formatRelation({ name, speed, byCpu }: Relation): string {
  return `${formatRatio(speed)} × ${name}, ${formatNumber(byCpu, 2)} by CPU`
}

function hasFailed({ samples }: LoadSeries): boolean {
  return samples.some(({ failed }) => failed > 0)
}

function findSeries(
  series: readonly LoadSeries[],
  name: string,
  inFlight: number,
): LoadSeries | undefined {
  return series.find((one) => one.subject.name === name && one.inFlight === inFlight)
}

type NumberKey = 'callsPerSecond' | 'p50' | 'p99' | 'cpuPerCall' | 'busy'

function valuesOf(samples: readonly LoadSample[], key: NumberKey): number[] {
  return samples.map((sample) => sample[key])
}
