import { type AddressKind, addressInUrl, judgeAddress } from './address.ts'
import { type Lookup, systemLookup } from './pinned-agent.ts'

/** Where a server stands, as seen from here. */
export type Network = 'public' | 'private' | 'loopback'

/**
 * Finds out where a URL's host stands: on this machine or in a private network where all of its
 * addresses do, else anywhere, as is what has no address at all.
 */
export async function findNetwork(url: URL, lookup: Lookup = systemLookup): Promise<Network> {
  const address = addressInUrl(url)
  const kinds = address === undefined ? await look(url, lookup) : [judgeAddress(address).kind]
  if (kinds.length === 0) return 'public'
  if (kinds.every((kind) => kind === 'loopback')) return 'loopback'
  return kinds.every((kind) => kind === 'private' || kind === 'loopback') ? 'private' : 'public'
}

async function look({ hostname }: URL, lookup: Lookup): Promise<AddressKind[]> {
  try {
    return (await lookup(hostname)).map(({ address }) => judgeAddress(address).kind)
  } catch {
    return []
  }
}
