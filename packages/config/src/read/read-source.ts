import { createScanner, stripComments } from 'jsonc-parser'
import { type Document, parseDocument } from 'yaml'
import { ConfigError, type ConfigProblem } from '../errors.ts'
import { TreeReader } from './read-tree.ts'
import { problemAt, type Source, toSource } from './source.ts'
import type { SourceNode } from './source-tree.ts'
import { explainSyntax, placeSyntax } from './yaml-syntax.ts'

/** A text that could be read, and what is wrong with it so far. */
export interface ReadText {
  readonly root: SourceNode
  readonly problems: readonly ConfigProblem[]
  readonly warnings?: readonly ConfigProblem[]
}

const largest = 4 * 2 ** 20

/**
 * Reads YAML, and JSON with it, as a tree that knows its places. Nothing is expanded.
 *
 * @throws ConfigError for what is not YAML, and nothing else whatever the text.
 */
export function readSource(
  text: string,
  file: string,
  source: Source = toSource(text, file),
): ReadText {
  if (text.length > largest) throw unreadable(file, `larger than ${largest} characters`)
  const document = parseEither(text, file)
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

/** JSON may have comments. */
function parseEither(text: string, file: string): Document {
  if (!looksLikeJson(text)) return parse(text, file)
  const asJson = parse(blankComments(text), file)
  if (asJson.errors.length === 0) return asJson
  // What looks like JSON with comments may be YAML with URLs in it.
  const asYaml = parse(text, file)
  return asYaml.errors.length === 0 ? asYaml : asJson
}

/** What is no comment stays in its place; `stripComments` makes each of them longer by one. */
function blankComments(text: string): string {
  const scanner = createScanner(text)
  const parts: string[] = []
  do {
    scanner.scan()
    const token = text.slice(
      scanner.getPosition() - scanner.getTokenLength(),
      scanner.getPosition(),
    )
    // Of all tokens only comments begin like this.
    parts.push(/^\/[/*]/.test(token) ? token.replace(/[^\r\n]/g, ' ') : token)
  } while (scanner.getPosition() < text.length)
  return parts.join('')
}

/** True for text that begins as JSON does, comments aside. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[/{]/.test(text) && /^\s*\{\s*["}]/.test(stripComments(text, ' '))
}

function parse(text: string, file: string): Document {
  try {
    return parseDocument(text, {
      logLevel: 'error',
      prettyErrors: false,
      // We find them ourselves, to name both places.
      uniqueKeys: false,
    })
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
