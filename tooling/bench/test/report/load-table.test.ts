import { expect, test } from 'vitest'
import type { LoadSeries } from '../../src/measure/load-series.ts'
import { toSpeedCheck } from '../../src/report/load-table.ts'

const check = { what: 'speed', subject: 'ours', inFlight: 16, atLeast: 5 }

test('the budget is held against the fastest of those that failed nothing', () => {
  const series = [toSeries('ours', 1_000), toSeries('slow', 100), toSeries('fast', 250)]
  expect(toSpeedCheck(series, { ...check, against: ['slow', 'fast'] })).toEqual({
    what: 'speed',
    budget: '≥ 5 × the best of slow, fast',
    measured:
      '4.00 (4.00 to 4.00 by round) × fast, 1.00 by CPU; 10.00 (10.00 to 10.00 by round) × slow, 1.00 by CPU',
    verdict: 'missed',
  })
  const failing = [toSeries('ours', 1_000), toSeries('slow', 100), toSeries('fast', 250, 1)]
  expect(toSpeedCheck(failing, { ...check, against: ['slow', 'fast'] }).verdict).toBe('met')
})

test('a subject that is absent was not measured, one that failed calls missed', () => {
  const absent = toSpeedCheck([toSeries('fast', 250)], { ...check, against: ['fast'] })
  expect(absent.verdict).toBe('not measured')
  const series = [toSeries('ours', 9_000, 1), toSeries('fast', 250)]
  expect(toSpeedCheck(series, { ...check, against: ['fast'] }).verdict).toBe('missed')
})

function toSeries(name: string, callsPerSecond: number, failed = 0): LoadSeries {
  const sample = { callsPerSecond, failed, p50: 1, p99: 2, busy: 0.5, cpuPerCall: 10 }
  const start = (): Promise<never> => Promise.reject(new Error('It is not started here.'))
  return {
    subject: { name, role: 'baseline', start },
    inFlight: 16,
    samples: [sample],
    resident: undefined,
  }
}
