import { createAddressList } from './address-list.ts'
import type { IncomingRequest } from './http-request.ts'
import { memoize } from './memoize.ts'
import { quote, refuse } from './refusals.ts'

export interface GuardOptions {
  /**
   * Names, besides the loopback ones, under which clients may reach us: `host` or `host:*` for any
   * port, `host:port` for one.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins of web pages, besides those at an allowed host, that may call: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Addresses and ranges of reverse proxies whose `X-Forwarded-Host` and `X-Forwarded-Proto` count. */
  readonly trustedProxies?: readonly string[] | undefined
}

/** Refuses a request, or lets it pass. */
export type Guard = (request: IncomingRequest) => Response | undefined

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks `Host` and `Origin`, always: it keeps web pages, also those that rebind a name to the
 * loopback address, from calling servers on the machine they are shown on.
 */
export function createGuard(options: GuardOptions): Guard {
  const hosts = new Set([...loopbackNames, ...(options.allowedHosts ?? []).map(normaliseHost)])
  const origins = new Set((options.allowedOrigins ?? []).map(normaliseOrigin))
  const isHostAllowed = memoize((host) => matchesHost(hosts, host))
  const isOriginAllowed = memoize((origin) => matchesOrigin(hosts, origins, origin))
  const proxies = options.trustedProxies ?? []
  const isProxy = proxies.length > 0 ? createAddressList(proxies) : undefined

  return (request) => {
    const { remoteAddress } = isProxy ? request : {}
    if (isProxy && remoteAddress !== undefined && isProxy(remoteAddress)) readForwarded(request)
    const host = request.forwarded?.host ?? request.host
    if (!isHostAllowed(host)) return refuseHost(host)
    const origin = request.origin
    if (origin !== undefined && !isOriginAllowed(origin)) return refuseOrigin(origin)
    return undefined
  }
}

/** Some proxies append to what the client sent, so the last value is the only one that is theirs. */
function readForwarded(request: IncomingRequest): void {
  const host = request.header('x-forwarded-host')?.split(',').at(-1)?.trim()
  const protocol = request.header('x-forwarded-proto')?.split(',').at(-1)?.trim()
  if (host === undefined && protocol === undefined) return
  const known = protocol === 'https' || protocol === 'http' ? protocol : undefined
  request.forwarded = { host, protocol: known }
}

function matchesHost(allowed: ReadonlySet<string>, host: string): boolean {
  const wanted = host.toLowerCase()
  return allowed.has(wanted) || allowed.has(wanted.replace(/:\d*$/, ''))
}

function matchesOrigin(
  hosts: ReadonlySet<string>,
  origins: ReadonlySet<string>,
  origin: string,
): boolean {
  const wanted = normaliseOrigin(origin)
  if (origins.has(wanted)) return true
  const [, host] = /^https?:\/\/([^/]+)$/.exec(wanted) ?? []
  return host !== undefined && matchesHost(hosts, host)
}

function normaliseHost(entry: string): string {
  const host = entry.toLowerCase().replace(/:\*$/, '')
  // An IPv6 address as people write it, which a `Host` header puts into brackets.
  return /^[^[]*:.*:/.test(host) ? `[${host}]` : host
}

function normaliseOrigin(origin: string): string {
  return origin.toLowerCase().replace(/\/$/, '')
}

function refuseHost(host: string): Response {
  return refuse(
    'HOST_REFUSED',
    `The host ${quote(host)} is not served here. Loopback names are, and what http.allowedHosts lists: add the name there if clients are to use it.`,
  )
}

function refuseOrigin(origin: string): Response {
  return refuse(
    'ORIGIN_REFUSED',
    `Web pages of the origin ${quote(origin)} may not call this server. Pages at an allowed host (http.allowedHosts) may, and what http.allowedOrigins lists: add the origin there if its pages are to call.`,
  )
}
