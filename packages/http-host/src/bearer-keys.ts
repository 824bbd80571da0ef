import type { Principal } from '@mobius-mcp/protocol'
import type { Authenticate } from './authenticate.ts'

/** A key that lets its holder in. */
export interface BearerKey {
  /** Who that is, in sessions, rules and audit. */
  readonly name: string
  /** The secret. */
  readonly key: string
  readonly scopes?: readonly string[] | undefined
}

const issuer = 'bearer-key'
const encoder = new TextEncoder()

/**
 * Lets in whoever shows one of the keys as `Authorization: Bearer <key>`.
 *
 * @throws TypeError for a key or name that is empty or there twice.
 */
export function bearerKeys(keys: readonly BearerKey[]): Authenticate {
  checkKeys(keys)
  let digests: Promise<readonly Known[]> | undefined
  // Once accepted, a key is known. A lookup takes as long whatever it resembles: the hash of the
  // text is salted, and nothing is compared before it agrees.
  const accepted = new Map<string, Principal>()

  const compare = async (key: string): Promise<Principal | undefined> => {
    digests ??= Promise.all(keys.map(toKnown))
    const digest = await digestOf(key)
    let found: Principal | undefined
    for (const known of await digests) if (isEqual(known.digest, digest)) found = known.principal
    if (found) accepted.set(key, found)
    return found
  }

  return (request) => {
    const header = request.header('authorization')
    const [, key] = /^bearer +(\S+) *$/i.exec(header ?? '') ?? []
    return key === undefined ? undefined : (accepted.get(key) ?? compare(key))
  }
}

interface Known {
  readonly digest: Uint8Array
  readonly principal: Principal
}

async function toKnown({ name, key, scopes = [] }: BearerKey): Promise<Known> {
  return { digest: await digestOf(key), principal: { id: name, issuer, scopes } }
}

async function digestOf(key: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(key)))
}

/** Always looks at every byte: the time it takes tells nothing about how much agrees. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0)
  return difference === 0
}

function checkKeys(keys: readonly BearerKey[]): void {
  const names = new Set<string>()
  const secrets = new Set<string>()
  for (const { name, key } of keys) {
    if (name === '') throw new TypeError('A bearer key needs a name: it says who its holder is.')
    if (!/^\S+$/.test(key)) {
      throw new TypeError(
        `The bearer key "${name}" is empty or holds white space; expected one word.`,
      )
    }
    if (names.has(name) || secrets.has(key)) {
      throw new TypeError(`The bearer key "${name}" is there twice: names and keys must differ.`)
    }
    names.add(name)
    secrets.add(key)
  }
}
