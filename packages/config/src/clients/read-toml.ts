import { dirname } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { ConfigError } from '../errors.ts'
import type { Source } from '../read/source.ts'
import { type Place, plain, type SourceNode, toList, toMap } from '../read/source-tree.ts'

/**
 * Reads TOML as a tree. Of a table's members it knows the place of the table's own line.
 *
 * @throws ConfigError for what is not TOML.
 */
export function readToml(text: string, file: string): SourceNode {
  const source: Source = {
    file,
    folder: dirname(file),
    positionOf(offset) {
      const before = text.slice(0, offset).split('\n')
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    },
  }
  const headers = headersOf(text)
  const place = { source, offset: 0, keyOffset: 0, path: [] }
  return toNode(parseToml(text, file), place, headers)
}

/** @throws ConfigError for what is not TOML. */
export function parseToml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const { line, column } = error
    // The library's message quotes the text, which may be a secret.
    const message = 'not valid TOML: this cannot be read'
    const problems = [{ code: 'SYNTAX', file, line, column, path: [], message } as const]
    throw new ConfigError('CONFIG_INVALID', { file, problems })
  }
}

function toNode(value: unknown, around: Place, headers: ReadonlyMap<string, number>): SourceNode {
  const at = headers.get(JSON.stringify(around.path))
  const place = at === undefined ? around : { ...around, offset: at, keyOffset: at }
  const inner = (member: unknown, key: string) =>
    toNode(member, { ...place, path: [...place.path, key] }, headers)
  if (Array.isArray(value)) {
    return toList(
      place,
      value.map((item, index) => inner(item, `${index}`)),
    )
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', ...place, ...plain, value, text: String(value) }
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const members = Object.entries(value).map(([key, member]) => [key, inner(member, key)] as const)
    return toMap(place, new Map(members))
  }
  return { kind: 'scalar', ...place, ...plain, value: String(value), text: String(value) }
}

/** Where each table begins, by its path. */
export function headersOf(text: string): Map<string, number> {
  const headers = new Map<string, number>()
  for (const { 1: name = '', index } of text.matchAll(
    /^[ \t]*\[([^[\]\n]+)\][ \t]*(?:#.*)?\r?$/gm,
  )) {
    const path = pathOf(name)
    if (path) headers.set(JSON.stringify(path), index)
  }
  return headers
}

/** The keys of a table's name, read by whoever knows how they are quoted. */
function pathOf(name: string): string[] | undefined {
  try {
    const path: string[] = []
    let value: unknown = parse(`[${name}]`)
    while (typeof value === 'object' && value !== null) {
      const [entry] = Object.entries(value)
      if (!entry) break
      path.push(entry[0])
      value = entry[1]
    }
    return path
  } catch {
    return undefined
  }
}
