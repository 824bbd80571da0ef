import { isObject } from '@mobius-mcp/protocol'

/** What a vendor says of its refusal beside the message. */
export interface Refusal {
  /** Milliseconds that it asks to wait. */
  readonly retryAfter?: number
  /** Money or a day's quota is spent: no wait that anybody sits out helps. */
  readonly spent: boolean
  /** It is the request that is wrong. */
  readonly blamed: boolean
}

/**
 * Reads the body of a refusal, or an error that came in a stream. OpenAI and servers like it put type and code into `error`,
 * Anthropic a code into the details, and Google what to do into several (https://google.aip.dev/193).
 */
export function readRefusal(body: unknown): Refusal {
  const error = errorIn(body)
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : []
  const names = [error.type, error.code, isObject(error.details) && error.details.error_code]
  const known = names.filter((name) => typeof name === 'string')
  const retryAfter = details.map(({ retryDelay }) => toMilliseconds(retryDelay)).find(isKnown)
  return {
    spent: known.some((name) => spentNames.has(name)) || details.some(isDailyQuota),
    blamed: known.some((name) => /^(invalid_|not_found)/.test(name)),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

const spentNames: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
])

/** The object that the error is told in, however deep it lies. */
function errorIn(body: unknown): Record<string, unknown> {
  const [first] = Array.isArray(body) ? body : [body]
  if (!isObject(first)) return {}
  return isObject(first.error) ? first.error : first
}

/** `google.rpc.QuotaFailure` */
function isDailyQuota({ violations }: Record<string, unknown>): boolean {
  return (
    Array.isArray(violations) &&
    violations.some((each) => isObject(each) && /PerDay/.test(String(each.quotaId)))
  )
}

/** A `google.protobuf.Duration` as JSON, as in `google.rpc.RetryInfo`: `2s`, `0.5s`. */
function toMilliseconds(duration: unknown): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(duration)) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined
}
