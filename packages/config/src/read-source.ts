import { type Document, LineCounter, parseDocument } from 'yaml'
import { ConfigError, type ConfigProblem, type ReportProblem } from './errors.ts'
import type { Environment } from './expand-variables.ts'
import { readTree } from './read-tree.ts'
import type { SourceNode } from './source-tree.ts'
import { explainSyntax, placeSyntax } from './yaml-syntax.ts'

/** A text that could be read, and what is wrong with it so far. */
export interface Source {
  readonly root: SourceNode
  readonly problems: ConfigProblem[]
  problem: ReportProblem
}

const largest = 4 * 2 ** 20

/**
 * Reads YAML, and JSON with it, as a tree that knows its places, with variables expanded.
 *
 * @throws ConfigError for what is not YAML, and nothing else whatever the text.
 */
export function readSource(
  text: string,
  options: { readonly file: string; readonly env: Environment },
): Source {
  const { file, env } = options
  if (text.length > largest) throw unreadable(file, `larger than ${largest} characters`)
  const lines = new LineCounter()
  const problem: ReportProblem = (code, { offset, path }, message, suggestion) => {
    const { line, col: column } = lines.linePos(Math.min(offset, text.length))
    const common = { code, file, line, column, path, message }
    return suggestion === undefined ? common : { ...common, suggestion }
  }
  const document = parse(text, { file, lines })
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) =>
      problem('SYNTAX', { offset: placeSyntax(error, document), path: [] }, explainSyntax(error)),
    )
    throw new ConfigError('CONFIG_INVALID', { file, problems: onePerLine(problems) })
  }
  const { root, problems } = readTree(document, { env, problem })
  return { root, problems, problem }
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
