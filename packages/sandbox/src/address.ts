import ipaddr from 'ipaddr.js'

/**
 * What an address is, as far as it matters: anyone's, this machine's, somebody's own network's, or
 * none that a server on the Internet has.
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special'

/** Judges an IP address, in any notation. `what` names it for a message. */
export function judgeAddress(text: string): { readonly kind: AddressKind; readonly what: string } {
  const bare = text.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(bare)) return { kind: 'special', what: 'not an address' }
  const address = ipaddr.parse(bare)
  const range: string = address.range()
  if (metadataAddresses.has(address.toString())) {
    return { kind: 'special', what: 'a cloud metadata address' }
  }
  // Allowed by name: what a later version of the library knows as something else is refused.
  if (range === 'unicast') return { kind: 'public', what: 'public' }
  const what = ranges[range] ?? `in the range "${range}"`
  if (range === 'loopback') return { kind: 'loopback', what }
  return { kind: privateRanges.has(range) ? 'private' : 'special', what }
}

/** The IP address that a URL's host is; `undefined` where it is a name. */
export function addressInUrl(url: URL): string | undefined {
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : undefined
}

/** Those that do not lie in a range of their own, or in one that may be allowed. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
  'fd20:ce::254',
])

const privateRanges: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat'])

const ranges: Readonly<Record<string, string>> = {
  loopback: "this machine's own address",
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: "a carrier's private address",
  linkLocal: 'a link-local address, as cloud metadata services have',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  unspecified: 'the unspecified address',
  reserved: 'a reserved address',
  ipv4Mapped: 'an IPv4 address dressed up as IPv6',
  rfc6052: 'an IPv4 address behind NAT64',
  rfc6145: 'an IPv4 address behind a translator',
  '6to4': 'an IPv4 address behind 6to4',
  teredo: 'an IPv4 address behind Teredo',
}
