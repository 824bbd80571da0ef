import { dirname } from 'node:path'
import { stripComments } from 'jsonc-parser'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { ConfigError, type ConfigProblem } from '../errors.ts'
import { TreeReader } from './read-tree.ts'
import { problemAt, type Source } from './source.ts'
import type { SourceNode } from './source-tree.ts'
import { explainSyntax, placeSyntax } from './yaml-syntax.ts'

/** A text that could be read, and what is wrong with it so far. */
export interface ReadText {
  readonly root: SourceNode
  readonly problems: readonly ConfigProblem[]
}

const largest = 4 * 2 ** 20

/**
 * Reads YAML, and JSON with it, as a tree that knows its places. Nothing is expanded.
 *
 * @throws ConfigError for what is not YAML, and nothing else whatever the text.
 */
export function readSource(text: string, file: string): ReadText {
  if (text.length > largest) throw unreadable(file, `larger than ${largest} characters`)
  const { document, lines } = parseEither(text, file)
  const source: Source = {
    file,
    folder: dirname(file),
    positionOf(offset) {
      const { line, col } = lines.linePos(Math.min(offset, text.length))
      return { line, column: col }
    },
  }
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) =>
      problemAt(source, placeSyntax(error, document), {
        code: 'SYNTAX',
        path: [],
        message: explainSyntax(error),
      }),
    )
    throw new ConfigError('CONFIG_INVALID', { file, problems: onePerLine(problems) })
  }
  const reader = new TreeReader(source)
  return { root: reader.readRoot(document.contents), problems: reader.problems }
}

interface Parsed {
  readonly document: Document
  readonly lines: LineCounter
}

/** JSON may have comments, which are as long as the blanks that take their place. */
function parseEither(text: string, file: string): Parsed {
  if (!looksLikeJson(text)) return parse(text, file)
  const asJson = parse(stripComments(text, ' '), file)
  if (asJson.document.errors.length === 0) return asJson
  // What looks like JSON with comments may be YAML with URLs in it.
  const asYaml = parse(text, file)
  return asYaml.document.errors.length === 0 ? asYaml : asJson
}

/** True for text that begins as JSON does, comments aside. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[/{]/.test(text) && /^\s*\{\s*["}]/.test(stripComments(text, ' '))
}

function parse(text: string, file: string): Parsed {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      logLevel: 'error',
      prettyErrors: false,
      // We find them ourselves, to name both places.
      uniqueKeys: false,
    })
    return { document, lines }
  } catch {
    // Brackets nested by the thousand exhaust its stack.
    throw unreadable(file, 'not valid YAML: nested too deeply')
  }
}

/** One slip often makes several errors; the first of a line tells most. */
function onePerLine(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const lines = new Set<number | undefined>()
  return problems.filter(({ line }) => !lines.has(line) && lines.add(line))
}

function unreadable(file: string, message: string): ConfigError {
  const problems: ConfigProblem[] = [{ code: 'SYNTAX', file, path: [], message }]
  return new ConfigError('CONFIG_INVALID', { file, problems })
}
