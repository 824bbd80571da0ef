import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser'

/** Sets what stands at a path, or takes it away where there is no value. All else stays as it is, with its comments. */
export function editJson(text: string, path: JSONPath, value: unknown): string {
  const edited = applyEdits(
    text,
    modify(text, path, value, { formattingOptions: formattingOf(text) }),
  )
  const appended = value === undefined ? undefined : append(text, path, value)
  // The library writes anew what stands before what it adds; whatever we overlook, it does not.
  const same = appended !== undefined && isDeepStrictEqual(meaning(appended), meaning(edited))
  return same ? appended : edited
}

function meaning(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length === 0 ? value : errors
}

/** After the last member of an object that has a line for each. */
function append(text: string, path: JSONPath, value: unknown): string | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const holder = tree && findNodeAtLocation(tree, path.slice(0, -1))
  const last = holder?.children?.at(-1)
  if (!holder || !last || findNodeAtLocation(tree, path)) return undefined
  const indent = indentOf(text, last)
  if (indent === undefined) return undefined
  const { eol, unit } = styleOf(text)
  const end = last.offset + last.length
  const comma = commaAfter(text, end)
  const line = lineEnd(text, comma ?? end)
  if (line > holder.offset + holder.length) return undefined
  const member = `${JSON.stringify(path.at(-1))}: ${JSON.stringify(value, undefined, unit)}`
  const written = member.split('\n').join(eol + indent)
  return comma === undefined
    ? `${text.slice(0, end)},${text.slice(end, line)}${eol}${indent}${written}${text.slice(line)}`
    : `${text.slice(0, line)}${eol}${indent}${written},${text.slice(line)}`
}

/** What stands before a member on its line; `undefined` if that is more than blanks. */
function indentOf(text: string, { offset }: Node): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return before.trim() === '' ? before : undefined
}

function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end
}

function styleOf(text: string): { eol: string; unit: string } {
  const [, unit = '  '] = /^([ \t]+)\S/m.exec(text) ?? []
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit.startsWith('\t') ? '\t' : unit }
}

/** As the file is indented already. */
function formattingOf(text: string): FormattingOptions {
  const { eol, unit } = styleOf(text)
  return { insertSpaces: unit !== '\t', tabSize: unit === '\t' ? 1 : unit.length, eol }
}
