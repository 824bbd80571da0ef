import { isDeepStrictEqual } from 'node:util'
import {
  type Document,
  isMap,
  isScalar,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml'

/**
 * Sets a member of a map of a YAML text, or takes it away where there is no value. All else stays as
 * it is written, to the letter where the map is in block style.
 *
 * @throws ReferenceError where something else refers to what is taken away.
 */
export function editYaml(text: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(text)
  const expected = changed(parseDocument(text), path, value)
  const spliced = splice(text, document, path, value)
  // Whatever the splice overlooked, it does not go unnoticed.
  if (spliced !== undefined && means(spliced, expected.toJS())) return spliced
  return expected.toString({ lineWidth: 0 })
}

function means(text: string, meaning: unknown): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), meaning)
}

function changed(document: Document, path: readonly string[], value: unknown): Document {
  const holder = path.slice(0, -1)
  if (value === undefined) {
    document.deleteIn(path)
    const map = holder.length === 0 ? document.contents : document.getIn(holder)
    // What is left of a map in block style is a key with nothing behind it.
    if (isMap(map) && !map.flow && map.items.length === 0) {
      if (holder.length === 0) document.contents = null
      else document.setIn(holder, null)
    }
  } else {
    // A key with nothing behind it, as when all below is commented out.
    if (holder.length > 0 && document.getIn(holder) === null) document.deleteIn(holder)
    document.setIn(path, document.createNode(value))
  }
  return document
}

function splice(
  text: string,
  document: Document,
  path: readonly string[],
  value: unknown,
): string | undefined {
  const name = path.at(-1) ?? ''
  const holder = path.slice(0, -1)
  const map = holder.length === 0 ? document.contents : document.getIn(holder)
  if (isMap(map) && !map.flow && map.items.length > 0) {
    const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (value === undefined) return pair && cut(text, pair)
    return pair ? replace(text, pair, { name, value }) : append(text, map, { name, value })
  }
  return value === undefined ? undefined : start(text, document, { holder, name, value })
}

interface Member {
  readonly name: string
  readonly value: unknown
}

function append(text: string, map: YAMLMap, member: Member): string | undefined {
  const last = map.items.at(-1)
  const first = map.items[0]
  if (!last || !first) return undefined
  const at = lineAfter(text, endOf(last))
  const column = columnOf(text, startOf(first))
  return insert(text, at, written(member, column, column || 2))
}

function replace(text: string, pair: Pair, member: Member): string {
  const start = startOf(pair)
  const lines = written(member, columnOf(text, start)).trimStart()
  return text.slice(0, start) + asIn(text, lines.trimEnd()) + afterValue(text, pair)
}

/** A value in block style takes the end of its last line with it. */
function afterValue(text: string, pair: Pair): string {
  const end = endOf(pair)
  return end > 0 && text[end - 1] === '\n' ? asIn(text, '\n') + text.slice(end) : text.slice(end)
}

/** With the lines of comments that stand right above it. */
function cut(text: string, pair: Pair): string {
  let from = lineStart(text, startOf(pair))
  const indent = text.slice(from, startOf(pair))
  while (from > 0) {
    const above = lineStart(text, from - 1)
    if (!text.slice(above, from).startsWith(`${indent}#`)) break
    from = above
  }
  return text.slice(0, from) + text.slice(lineAfter(text, endOf(pair)))
}

/** The first member of a map that is not there, or has only comments in it. */
function start(
  text: string,
  document: Document,
  { holder, name, value }: Member & { readonly holder: readonly string[] },
): string | undefined {
  const [section, ...deeper] = holder
  if (section === undefined || deeper.length > 0) return undefined
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return insert(text, text.length, `${section}:\n${written({ name, value }, 2)}`)
  }
  if (!isMap(contents) || contents.flow) return undefined
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === section)
  if (!pair) return insert(text, text.length, `${section}:\n${written({ name, value }, 2)}`)
  const empty = isScalar(pair.value) && pair.value.source === ''
  if (!empty) return undefined
  return insert(text, lineAfter(text, startOf(pair)), written({ name, value }, 2))
}

/** With each level indented as deep as the file does it. */
function written({ name, value }: Member, indent: number, step = 2): string {
  const lines = stringify({ [name]: value }, { lineWidth: 0, indent: step }).split('\n')
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n')
}

function insert(text: string, at: number, lines: string): string {
  const before = text.slice(0, at)
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  return before + asIn(text, gap + lines) + text.slice(at)
}

/** With line breaks as the file has them. */
function asIn(text: string, lines: string): string {
  return text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines
}

function startOf({ key }: Pair): number {
  return rangeOf(key)?.[0] ?? 0
}

/** Where the value ends; of a key without one, the key. */
function endOf({ key, value }: Pair): number {
  return rangeOf(value)?.[1] ?? rangeOf(key)?.[1] ?? 0
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  const ranged = typeof node === 'object' && node !== null && 'range' in node ? node.range : null
  const [start, end, after]: unknown[] = Array.isArray(ranged) ? ranged : []
  const right = typeof start === 'number' && typeof end === 'number' && typeof after === 'number'
  return right ? [start, end, after] : undefined
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** The start of the line after; a value in block style ends there already. */
function lineAfter(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset)
}
