import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'
import { toJsonObject } from '../json-object.ts'
import { headersOf, parseToml } from './read-toml.ts'

/**
 * Sets a table of a TOML text: its lines, and those of the tables in it, are replaced, or stand at
 * the end. All else stays as it is. `undefined` where the table is written in another way, so that
 * lines cannot tell what belongs to it.
 */
export function editToml(
  text: string,
  path: readonly [string, string],
  { file, value }: { readonly file: string; readonly value: Readonly<Record<string, unknown>> },
): string | undefined {
  const [section, name] = path
  const block = stringify({ [section]: { [name]: value } })
    .replace(new RegExp(`^\\[${section}\\]\\n+`), '')
    .trimEnd()
  const edited = withBlock(text, linesOf(text, path), `${block}\n`)
  const before = parseToml(text, file)
  const expected = withMember(before, section, {
    ...toJsonObject(memberOf(before, section)),
    [name]: value,
  })
  return means(edited, expected) ? edited : undefined
}

/** A table twice, once in one line and once in many, is not even TOML. */
function means(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(expected))
  } catch {
    return false
  }
}

function withBlock(
  text: string,
  lines: { readonly start: number; readonly end: number } | undefined,
  block: string,
): string {
  if (lines) {
    const rest = text.slice(lines.end)
    return text.slice(0, lines.start) + block + (rest === '' ? '' : '\n') + rest
  }
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return text + gap + block
}

/** From the line of the table to that of the next one that is not in it. */
function linesOf(
  text: string,
  path: readonly string[],
): { readonly start: number; readonly end: number } | undefined {
  const headers = [...headersOf(text)].map(
    ([key, offset]) => [JSON.parse(key) as string[], offset] as const,
  )
  const isInside = (other: readonly string[]) => path.every((key, index) => other[index] === key)
  const first = headers.findIndex(([other]) => isInside(other))
  const start = headers[first]?.[1]
  if (start === undefined) return undefined
  const next = headers.slice(first).find(([other]) => !isInside(other))
  return { start, end: next ? next[1] : text.length }
}

function memberOf(value: unknown, key: string): unknown {
  return Object.entries(toJsonObject(value)).find(([own]) => own === key)?.[1]
}

function withMember(value: unknown, key: string, member: unknown): unknown {
  return { ...toJsonObject(value), [key]: member }
}

/** Without the prototypes that tell tables apart. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
