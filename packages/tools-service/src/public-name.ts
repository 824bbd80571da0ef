/** Clients put a prefix of their own before a name and must stay within 64. */
const maxLength = 48
const hashLength = 8

/**
 * The name outside of a tool or prompt: `server__name`, a pure function of the two, so that no other
 * server can move it. Wherever the plain joining would lose something (other characters, length, a
 * server name that makes the boundary ambiguous) a hash of the exact names takes its place.
 */
export function publicName(server: string, name: string): string {
  const joined = `${publicPrefix(server)}${clean(name)}`
  const exact = joined === `${server}__${name}` && joined.length <= maxLength
  // "a__b" + "c" and "a" + "b__c" join to the same text; only the second is unambiguous.
  const ambiguous = server.includes('__') || server.endsWith('_')
  return exact && !ambiguous ? joined : hashed(joined, `${server}\0${name}`)
}

/** What the names outside of everything of a server begin with, unless they are plain: for a guess, never for a route. */
export function publicPrefix(server: string): string {
  return `${clean(server)}__`
}

/** The same for a server whose names are shown as they are. */
export function plainName(name: string): string {
  const cleaned = clean(name)
  return cleaned === name && name.length <= maxLength ? name : hashed(cleaned, name)
}

function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** Keeps the beginning and the end, which usually tells more. */
function hashed(text: string, exact: string): string {
  const room = maxLength - hashLength - 1
  const kept = text.length <= room ? text : text.slice(0, room - 16) + text.slice(text.length - 16)
  return `${kept}_${hash(exact)}`
}

/** FNV-1a over UTF-16 code units, 53 bits of it: a name's fingerprint, not a secret's. */
function hash(text: string): string {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (let index = 0; index < text.length; index++) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x01000193) >>> 0
    high = Math.imul(high ^ (low >>> 13), 0x85ebca6b) >>> 0
  }
  const value = (high >>> 11) * 2 ** 32 + low
  return value.toString(36).padStart(hashLength, '0').slice(-hashLength)
}
