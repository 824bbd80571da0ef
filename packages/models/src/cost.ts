import type { Usage } from './events.ts'

/** What a million tokens cost. What has no price of its own costs as much as input. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** Prices by `provider/model`, or by `provider/*` for all its models. There are none built in: they would be wrong soon. */
export type Prices = Readonly<Record<string, Price>>

/** The cost of an answer, or `undefined` where its price or its usage is not known. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (price === undefined || inputTokens === undefined || outputTokens === undefined)
    return undefined
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const millionths =
    fresh * price.input +
    cacheReadTokens * (price.cacheRead ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    outputTokens * price.output
  return millionths / 1_000_000
}

/** The price of a model: its own, or that of all its provider's models. */
export function priceOf(
  prices: Prices | undefined,
  provider: string,
  model: string,
): Price | undefined {
  return prices?.[`${provider}/${model}`] ?? prices?.[`${provider}/*`]
}
