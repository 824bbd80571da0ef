const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const bytes: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
}

/** The longest duration that timers hold: just under 25 days. Longer ones would fire at once. */
const longestDuration = 2 ** 31 - 1

/** What `parseDuration` takes, for whoever wrote something else. */
export const durationForm =
  'a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off'

/** Reads a duration as milliseconds, `off` as `Infinity`; `undefined` for anything else. */
export function parseDuration(value: string | number): number | undefined {
  if (value === 'off') return Number.POSITIVE_INFINITY
  const duration = measure(value, milliseconds, 1000)
  return duration !== undefined && duration > 0 && duration <= longestDuration
    ? duration
    : undefined
}

/** What `parseBytes` takes, for whoever wrote something else. */
export const bytesForm = 'a size: a number of bytes, or text such as 512 KiB, 8 MiB, 10 MB'

/** Reads a size as a number of bytes; `undefined` for anything else. */
export function parseBytes(value: string | number): number | undefined {
  const size = measure(value, bytes, 1)
  return size !== undefined && size >= 1 && Number.isSafeInteger(size) ? size : undefined
}

/** A number, or text that holds one with or without a unit. */
function measure(
  value: string | number,
  units: Readonly<Record<string, number>>,
  without: number,
): number | undefined {
  if (typeof value === 'number') return Math.round(value * without)
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) ?? []
  const factor = unit === '' ? without : ownNumber(units, unit.toLowerCase())
  return amount === '' || factor === undefined ? undefined : Math.round(Number(amount) * factor)
}

function ownNumber(units: Readonly<Record<string, number>>, unit: string): number | undefined {
  return Object.hasOwn(units, unit) ? units[unit] : undefined
}
