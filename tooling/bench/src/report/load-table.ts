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
  const speeds = speedsOf(series, subject, inFlight)
  const ratios = against
    .flatMap((name) => toReference(name, speeds, speedsOf(series, name, inFlight)))
    .toSorted((a, b) => a.ratio.best - b.ratio.best)
  const budget = `≥ ${atLeast} × ${against.length === 1 ? against[0] : `the best of ${against.join(', ')}`}`
  if (hasFailed(series, subject, inFlight)) {
    return toCheck(what, budget, { measured: 'some calls failed', met: false })
  }
  if (ratios.length === 0) return toCheck(what, budget, undefined)
  return toCheck(what, budget, {
    measured: ratios.map(({ name, ratio }) => `${formatRatio(ratio)} × ${name}`).join('; '),
    met: ratios.every(({ ratio }) => ratio.best >= atLeast),
  })
}

function toReference(
  name: string,
  speeds: number[] | undefined,
  reference: number[] | undefined,
): { name: string; ratio: Ratio }[] {
  if (speeds === undefined || reference === undefined) return []
  return [{ name, ratio: ratioOf(speeds, reference, 'more') }]
}

/** Of a subject that failed a call there is no speed. */
function speedsOf(
  series: readonly LoadSeries[],
  name: string,
  inFlight: number,
): number[] | undefined {
  const found = findSeries(series, name, inFlight)
  if (found === undefined || hasFailed(series, name, inFlight)) return undefined
  return valuesOf(found.samples, 'callsPerSecond')
}

function hasFailed(series: readonly LoadSeries[], name: string, inFlight: number): boolean {
  return findSeries(series, name, inFlight)?.samples.some(({ failed }) => failed > 0) ?? false
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
