import type { Ratio } from '../measure/statistic.ts'

export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** `4.21 (3.90 to 4.40 by round)` */
export function formatRatio({ best, lowest, highest }: Ratio): string {
  const [main, low, high] = [best, lowest, highest].map((value) => formatNumber(value, 2))
  return `${main} (${low} to ${high} by round)`
}

export function formatBytes(bytes: number): string {
  const size = Math.abs(bytes)
  if (size < 1_000) return `${formatNumber(bytes)} B`
  if (size < 1_000_000) return `${formatNumber(bytes / 1_000, 1)} kB`
  return `${formatNumber(bytes / 1_000_000, 1)} MB`
}
