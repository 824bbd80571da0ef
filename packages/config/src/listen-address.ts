import { isIPv6 } from 'node:net'
import type { ListenAddress } from './configuration.ts'

/** What `parseListenAddress` takes, for whoever wrote something else. */
export const listenForm = 'host:port, e.g. 127.0.0.1:8420 or "[::1]:8420"'

/**
 * Reads an address to listen on: `host:port`, an IPv6 host in brackets. `undefined` for anything
 * else, also for a port alone: which network hears us is never left to a default.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, inBrackets, name, digits = ''] =
    /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) return undefined
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? { host: inBrackets, port } : undefined
  return name !== undefined && isHostName(name) ? { host: name, port } : undefined
}

/** True for a DNS name or an IPv4 address. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?$/i.test(text)
}
