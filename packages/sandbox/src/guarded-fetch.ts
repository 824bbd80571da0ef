import { fetch as undiciFetch } from 'undici'
import { capResponse } from './capped-response.ts'
import { FetchRefusedError, isFetchRefused, toPlainUrl } from './errors.ts'
import { Guard, type GuardOptions } from './guard.ts'
import { createPinnedAgent, type Lookup, systemLookup } from './pinned-agent.ts'

/** `fetch`, of one URL. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

export interface GuardedFetchOptions extends GuardOptions {
  /** How many redirects are followed; 3 by default. */
  readonly maxRedirects?: number | undefined
  /** A longer answer fails while it is read; 10 MiB by default. */
  readonly maxBytes?: number | undefined
  /** How long an answer may take, with its redirects and its body, in milliseconds; 30,000 by default. */
  readonly timeout?: number | undefined
  /** Finds a host's addresses; by default as the system does. */
  readonly lookup?: Lookup | undefined
  /** Makes the requests. It must honour `dispatcher`, as undici's and Node's do, or nothing is pinned. */
  readonly fetch?: FetchLike | undefined
}

/**
 * A `fetch` for URLs that somebody else chose: https and public addresses only, unless allowed; it
 * connects to the address that was checked, checks each redirect again, takes nothing but `accept`
 * and `user-agent` along to another origin, and bounds size and time.
 *
 * @example
 * const fetch = createGuardedFetch({ maxBytes: 256 * 1024, timeout: 5000 })
 * const metadata = await (await fetch(url)).json()
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): FetchLike {
  const { lookup = systemLookup, timeout = 30_000, maxBytes = 10 * 1024 * 1024 } = options
  const guard = new Guard(options)
  const send = createSend(guard, lookup, options.fetch)
  return async (input, init = {}) => {
    const url = parseUrl(input)
    const where = toPlainUrl(url)
    const limit = AbortSignal.timeout(timeout)
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit
    const toError = (error: unknown) => toRefusal(error, limit.aborted, where, timeout)
    try {
      const hops = { guard, send, left: options.maxRedirects ?? 3 }
      const [response, last] = await follow(hops, url, { ...init, signal })
      return capResponse(response, last, { where, maxBytes, toError })
    } catch (error) {
      throw toError(error)
    }
  }
}

type Send = (url: URL, init: RequestInit) => Promise<Response>

function createSend(guard: Guard, lookup: Lookup, base: FetchLike | undefined): Send {
  const agents = {
    'http:': createPinnedAgent('http:', guard, lookup),
    'https:': createPinnedAgent('https:', guard, lookup),
  }
  // Two sets of the same types: Node's and undici's own.
  const send = base ?? (undiciFetch as unknown as FetchLike)
  return (url, init) => {
    const dispatcher = url.protocol === 'http:' ? agents['http:'] : agents['https:']
    const own: object = { redirect: 'manual', dispatcher }
    return send(url, { ...init, ...own })
  }
}

interface Hops {
  readonly guard: Guard
  readonly send: Send
  readonly left: number
}

async function follow(hops: Hops, url: URL, init: RequestInit): Promise<[Response, URL]> {
  hops.guard.checkUrl(url)
  const response = await hops.send(url, init)
  const target = targetOf(response, url)
  if (!target || init.redirect === 'manual') return [response, url]
  await response.body?.cancel()
  const refuse = (detail: string) =>
    new FetchRefusedError('FETCH_REDIRECT', toPlainUrl(url), `${detail} (to ${toPlainUrl(target)})`)
  if (init.redirect === 'error') throw refuse('No redirect is wanted here')
  if (hops.left === 0) throw refuse('There are too many in a row: see `maxRedirects`')
  const next = redirected(init, response.status, url.origin === target.origin)
  if (!next) throw refuse('It would take the body of the request to another origin')
  return await follow({ ...hops, left: hops.left - 1 }, target, next)
}

function targetOf({ status, headers }: Response, url: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null
  return location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined
}

/** What may be told to whoever a server names. */
const portable = ['accept', 'accept-language', 'user-agent']

/** The request that follows a redirect; `undefined` where none may. */
function redirected(
  init: RequestInit,
  status: number,
  sameOrigin: boolean,
): RequestInit | undefined {
  const { method = 'GET', body, ...rest } = init
  const bare = method === 'GET' || method === 'HEAD'
  const keepsMethod = bare || status === 307 || status === 308
  if (!sameOrigin && keepsMethod && !bare) return undefined
  const headers = new Headers(init.headers)
  if (!keepsMethod) headers.delete('content-type')
  if (!sameOrigin) {
    for (const name of [...headers.keys()]) if (!portable.includes(name)) headers.delete(name)
  }
  return keepsMethod && body !== undefined
    ? { ...rest, method, body, headers }
    : { ...rest, method: keepsMethod ? method : 'GET', headers }
}

function parseUrl(input: string | URL): URL {
  if (URL.canParse(String(input))) return new URL(input)
  throw new FetchRefusedError('FETCH_SCHEME', 'this', 'It is not a URL.')
}

function toRefusal(error: unknown, late: boolean, where: string, timeout: number): unknown {
  // What is thrown while connecting comes back as the cause of "fetch failed".
  const { cause } = error as { cause?: unknown }
  if (isFetchRefused(cause)) return cause
  if (!late || isFetchRefused(error)) return error
  return new FetchRefusedError(
    'FETCH_TIMEOUT',
    where,
    `It was not complete within ${timeout / 1000} s (\`timeout\`).`,
  )
}
