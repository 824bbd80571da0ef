import { type AddressKind, addressInUrl, judgeAddress } from './address.ts'
import { FetchRefusedError, toPlainUrl } from './errors.ts'

export interface GuardOptions {
  /**
   * Private networks and this machine too, or one of both alone. Link-local, metadata, multicast
   * and translated addresses stay refused. Nothing of it by default.
   */
  readonly allowPrivate?: boolean | 'loopback' | 'private' | undefined
  /** Hosts, by name or address and without a port, that may have any address. */
  readonly allowedHosts?: readonly string[] | undefined
}

/** What may be fetched from. */
export class Guard {
  readonly #kinds: ReadonlySet<AddressKind>
  readonly #hosts: ReadonlySet<string>

  constructor({ allowPrivate = false, allowedHosts = [] }: GuardOptions) {
    this.#kinds = new Set([
      'public',
      ...(allowPrivate === true ? (['loopback', 'private'] as const) : []),
      ...(typeof allowPrivate === 'string' ? [allowPrivate] : []),
    ])
    this.#hosts = new Set(allowedHosts.map(toHost))
  }

  /** @throws FetchRefusedError for what no address can make good. */
  checkUrl(url: URL): void {
    const where = toPlainUrl(url)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new FetchRefusedError('FETCH_SCHEME', where, 'Nothing else is.')
    }
    if (url.username !== '' || url.password !== '') {
      throw new FetchRefusedError('FETCH_CREDENTIALS', where, 'Use a header.')
    }
    const address = addressInUrl(url)
    if (address !== undefined) this.choose(url, [{ address, family: 0 }])
    // A name is judged by what it resolves to, when the connection is made.
    else if (url.protocol === 'http:' && !this.#mayBeLoopback(url)) throw notHttps(where)
  }

  /**
   * The addresses, of those that a host has, that may be connected to.
   *
   * @throws FetchRefusedError where there is none.
   */
  choose(url: URL, addresses: readonly HostAddress[]): readonly HostAddress[] {
    const where = toPlainUrl(url)
    const known = this.#hosts.has(toHost(url.hostname))
    const judged = addresses.map((each) => ({ each, ...judgeAddress(each.address) }))
    const allowed = judged.filter(({ kind }) => known || this.#kinds.has(kind))
    if (allowed.length === 0) throw notPublic(where, judged[0])
    // Plain http never leaves the machine.
    const safe = allowed.filter(({ kind }) => url.protocol === 'https:' || kind === 'loopback')
    if (safe.length === 0) throw notHttps(where)
    return safe.map(({ each }) => each)
  }

  #mayBeLoopback(url: URL): boolean {
    return this.#kinds.has('loopback') || this.#hosts.has(toHost(url.hostname))
  }
}

/** One of a host's addresses, as `dns.lookup` gives them. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** A host as it stands in a URL, without a port. */
function toHost(text: string): string {
  const bare = /^[^[].*:.*:/.test(text) ? `[${text}]` : text
  const url = `https://${bare}/`
  return (URL.canParse(url) ? new URL(url).hostname : text.toLowerCase()).replace(/\.$/, '')
}

function notHttps(where: string): FetchRefusedError {
  return new FetchRefusedError(
    'FETCH_SCHEME',
    where,
    'Use https; http from this machine needs `allowPrivate: "loopback"` or the host in `allowedHosts`.',
  )
}

function notPublic(
  where: string,
  judged: { each: HostAddress; what: string; kind: AddressKind } | undefined,
): FetchRefusedError {
  const found = judged ? `${judged.each.address} is ${judged.what}` : 'The name has no address'
  const setting =
    judged?.kind === 'special'
      ? 'If it is meant, put the host in `allowedHosts`.'
      : 'If it is meant, put the host in `allowedHosts` or set `allowPrivate`.'
  return new FetchRefusedError('FETCH_ADDRESS', where, `${found}. ${setting}`)
}
