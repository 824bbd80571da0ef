import { dirname } from 'node:path'
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
  const lines = new LineCounter()
  const source: Source = {
    file,
    folder: dirname(file),
    positionOf(offset) {
      const { line, col } = lines.linePos(Math.min(offset, text.length))
      return { line, column: col }
    },
  }
  const document = parse(text, { file, lines })
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

function parse(text: string, context: { file: string; lines: LineCounter }): Document {
  try {
    return parseDocument(text, {
      lineCounter: context.lines,
      logLevel: 'error',
      prettyErrors: false,
      // We find them ourselves, to name both places.
      uniqueKeys: false,
    })
  } catch {
    // Brackets nested by the thousand exhaust its stack.
    throw unreadable(context.file, 'not valid YAML: nested too deeply')
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
