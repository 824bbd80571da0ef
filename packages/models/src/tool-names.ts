import { createHash } from 'node:crypto'

/** Names that every dialect accepts: OpenAI's characters, and Google's length and first character. */
const accepted = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/
/** What the Anthropic provider calls the tool by which it gets JSON from models without structured output. */
const reserved = new Set(['json'])

/** Names as the caller knows them, and as a vendor takes them. */
export interface ToolNames {
  toVendor(name: string): string
  /** The caller's name; what the model wrote, where it made a name up. */
  fromVendor(name: string): string
}

/**
 * Makes names acceptable. What a name becomes depends on nothing but the name, so that it stays the same for a whole
 * conversation; only where two would meet does a number tell them apart.
 */
export function createToolNames(names: Iterable<string>): ToolNames {
  const toVendor = new Map<string, string>()
  const fromVendor = new Map<string, string>()
  const given = [...new Set(names)]
  const add = (name: string, vendorName: string): void => {
    toVendor.set(name, vendorName)
    fromVendor.set(vendorName, name)
  }
  const isFine = (name: string): boolean => accepted.test(name) && !reserved.has(name)
  // A name that needs no change is never taken by one that does.
  for (const name of given.filter(isFine)) add(name, name)
  for (const name of given.filter((name) => !isFine(name)).toSorted()) {
    let vendorName = shorten(name, '')
    for (let number = 2; fromVendor.has(vendorName); number += 1) {
      vendorName = shorten(name, String(number))
    }
    add(name, vendorName)
  }
  return {
    toVendor: (name) => toVendor.get(name) ?? (isFine(name) ? name : shorten(name, '')),
    fromVendor: (name) => fromVendor.get(name) ?? name,
  }
}

function shorten(name: string, number: string): string {
  const hash = createHash('sha256')
    .update(name + number)
    .digest('hex')
    .slice(0, 8)
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  const begun = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
  return `${begun.slice(0, 54)}_${hash}`
}
