import { lookup as dnsLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import type { Guard, HostAddress } from './guard.ts'

/** All addresses of a host. */
export type Lookup = (hostname: string) => Promise<readonly HostAddress[]>

export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true })

/**
 * What opens connections for one scheme: to addresses that the guard has seen, and to no others,
 * for between a check and a second look-up a name may be made to mean something else.
 */
export function createPinnedAgent(
  protocol: 'http:' | 'https:',
  guard: Guard,
  lookup: Lookup,
): Agent {
  const guarded: LookupFunction = (hostname, options, callback) => {
    const url = new URL(`${protocol}//${hostname}/`)
    lookup(hostname)
      .then((addresses) => guard.choose(url, addresses))
      .then(
        (addresses) => {
          const [first] = addresses
          if (options.all) callback(null, addresses.map(withFamily))
          else if (first) callback(null, first.address, withFamily(first).family)
        },
        (error: NodeJS.ErrnoException) => callback(error, [], 0),
      )
  }
  return new Agent({ connect: { lookup: guarded } })
}

function withFamily({ address, family }: HostAddress): { address: string; family: number } {
  return { address, family: family === 0 ? (address.includes(':') ? 6 : 4) : family }
}
