import { dirname } from 'node:path'
import { checkReferences } from './check-references.ts'
import type { Configuration } from './configuration.ts'
import { ConfigError } from './errors.ts'
import type { Environment } from './expand-variables.ts'
import { explainIssues } from './explain-issues.ts'
import { recogniseShape } from './file-shape.ts'
import { Findings } from './findings.ts'
import { normaliseFile } from './normalise-file.ts'
import { readSource } from './read-source.ts'
import { createSchema } from './schema.ts'
import { toConfiguration } from './to-configuration.ts'

export interface ParseConfigOptions {
  /** What errors call the text. Relative paths in it start from the folder of this file. */
  readonly file: string
  /** What `${VAR}` stands for. Empty by default: the machine's own is never read. */
  readonly env?: Environment | undefined
  /** Servers that do not stand in the file but may be published. The built-in ones always may. */
  readonly knownServers?: readonly string[] | undefined
}

/**
 * Reads one configuration: YAML or JSON, with `mcpServers`, `publish` and `http`, or a bare map of
 * servers as other clients have it.
 *
 * @throws ConfigError with all that is wrong, each with line and column; nothing else, whatever the
 * text. Values that may be secrets are not in it.
 */
export function parseConfig(text: string, options: ParseConfigOptions): Configuration {
  const { file, env = {}, knownServers = [] } = options
  const source = readSource(text, { file, env })
  const shape = recogniseShape(source.root)
  const findings = new Findings(source, shape)
  const parsed = createSchema().safeParse(normaliseFile(shape.root, findings))
  if (!parsed.success) explainIssues(parsed.error.issues, findings)
  // A server that is wrong in itself may be missing by now.
  else if (findings.problems.length === 0) {
    checkReferences(parsed.data, { findings, knownServers })
  }
  const { problems, warnings } = findings
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError('CONFIG_INVALID', { file, problems: inOrder(problems) })
  }
  return toConfiguration(parsed.data, { file, folder: dirname(file), warnings: inOrder(warnings) })
}

function inOrder<P extends { line?: number; column?: number }>(problems: readonly P[]): P[] {
  return problems.toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}
