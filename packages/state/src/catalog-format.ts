import { isObject, type ListKind } from '@mobius-mcp/protocol'
import type { CatalogEntry } from './catalog.ts'

// Raise it when an older process could misread what is written.
const format = 1

const kinds: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates']

/** What a file of a catalog turned out to be. */
export type DecodedEntry =
  | { readonly kind: 'entry'; readonly entry: CatalogEntry }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'newer' }

/** The text of a file that holds one entry. */
export function encodeEntry(entry: CatalogEntry): string {
  const { initialize, lists, at } = entry
  return `${JSON.stringify({ format, at, initialize, lists })}\n`
}

/** Reads such a text, whoever wrote it. Never throws. */
export function decodeEntry(text: string): DecodedEntry {
  const value = parse(text)
  if (!isObject(value) || typeof value.format !== 'number') return { kind: 'corrupt' }
  if (value.format > format) return { kind: 'newer' }
  const { initialize, lists, at } = value
  if (!isObject(initialize) || !isObject(lists) || typeof at !== 'number') {
    return { kind: 'corrupt' }
  }
  if (!kinds.every((kind) => lists[kind] === undefined || isListOfObjects(lists[kind]))) {
    return { kind: 'corrupt' }
  }
  return { kind: 'entry', entry: { initialize, lists: lists as CatalogEntry['lists'], at } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject)
}
