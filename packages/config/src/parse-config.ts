import { basename, dirname } from 'node:path'
import { toConfiguration } from './build/to-configuration.ts'
import { checkAgents } from './check/check-agents.ts'
import { checkHooks } from './check/check-hooks.ts'
import { checkModels } from './check/check-models.ts'
import { checkNames } from './check/check-names.ts'
import { checkReferences, knownServerNames } from './check/check-references.ts'
import { checkRules } from './check/check-rules.ts'
import type { Configuration } from './configuration.ts'
import { ConfigError } from './errors.ts'
import { Findings } from './read/findings.ts'
import { addFile, type Layers, mergeLayers, profileNames } from './read/layers.ts'
import { readSource } from './read/read-source.ts'
import type { Source } from './read/source.ts'
import { type SourceMap, toData, toMap } from './read/source-tree.ts'
import { explainIssues } from './schema/explain-issues.ts'
import { createSchema } from './schema/schema.ts'
import { resolveServers } from './shapes/resolve-servers.ts'
import { readDeclared } from './values/declared-variables.ts'
import { expandTree, type OutsideReference } from './values/expand-tree.ts'
import type {
  DeclaredVariable,
  Environment,
  Failure,
  ValueSources,
} from './values/value-sources.ts'

export interface ParseConfigOptions {
  /** What errors call the text. Relative paths in it start from the folder of this file. */
  readonly file: string
  /** What `${VAR}` stands for. Empty by default: the machine's own is never read. */
  readonly env?: Environment | undefined
  /** Servers that do not stand in the file but may be named. The built-in ones always may. */
  readonly knownServers?: readonly string[] | undefined
  /** Profiles to lay over the file, in this order; `name?` for one that need not be there. */
  readonly profiles?: readonly string[] | undefined
}

/**
 * Reads one configuration: YAML or JSON, with `mcpServers` and what stands beside it, a bare map of
 * servers, or what other clients have. What needs other files, `extends` and `${file:…}`, is
 * refused: `loadConfig` does that.
 *
 * @throws ConfigError with all that is wrong, each with line and column; nothing else, whatever the
 * text. Values that may be secrets are not in it.
 */
export function parseConfig(text: string, options: ParseConfigOptions): Configuration {
  const { file } = options
  const layers: Layers = { files: [], findings: new Findings() }
  const { extends: parents } = addFile(layers, readSource(text, file))
  if (parents) {
    const message = 'needs the files that it names, and this text was read without any'
    layers.findings.wrongKey(parents, message)
  }
  const root = mergeLayers(layers, options.profiles ?? [])
  return finishConfig(root, {
    ...options,
    layers,
    read: { files: [file], folders: [] },
    outside: ({ kind }) => ({
      code: 'UNREADABLE',
      message: `\${${kind}:…} needs what lies outside of this text, which was read alone`,
    }),
  })
}

/** What is needed to make a configuration of merged files. */
export interface FinishOptions extends ParseConfigOptions {
  readonly layers: Layers
  readonly read: { readonly files: readonly string[]; readonly folders: readonly string[] }
  readonly outside: (reference: OutsideReference) => string | Failure
}

/**
 * Expands, checks and builds what was merged.
 *
 * @throws ConfigError with all that is wrong in any of the files.
 */
export function finishConfig(merged: SourceMap, options: FinishOptions): Configuration {
  const { file, env = {}, layers, read, knownServers = [] } = options
  const { findings } = layers
  const { expanded, declared } = expandLayers(merged, options)
  const root = resolveServers(expanded, findings)
  const schema = createSchema((section) => root.members.has(section))
  // Compiling the schema takes longer than a file that is read once.
  const parsed = schema.safeParse(toData(root), { jitless: true })
  if (!parsed.success) explainIssues(parsed.error.issues, root, findings)
  // A server that is wrong in itself is left out of the root by now, and is there all the same.
  const known = knownServerNames(expanded, knownServers)
  checkNames(root, findings)
  checkReferences(root, { findings, known })
  checkHooks(root, findings)
  checkRules(root, { findings, known })
  checkAgents(root, findings)
  checkModels(root, { findings, env })
  const order = orderOf(layers)
  if (!parsed.success || findings.problems.length > 0) {
    throw new ConfigError('CONFIG_INVALID', { file, problems: findings.problems.toSorted(order) })
  }
  const warnings = findings.warnings.toSorted(order)
  const profiles = profileNames(layers.files)
  const context = { root, file, ...read, profiles, warnings, known, env, declared }
  return toConfiguration(parsed.data, context)
}

type Declared = ReadonlyMap<string, DeclaredVariable>

/** Puts in what references stand for. What `env` declares is known before all else is expanded. */
function expandLayers(
  merged: SourceMap,
  options: FinishOptions,
): { expanded: SourceMap; declared: Declared } {
  const { env = {}, layers } = options
  const { findings } = layers
  const { members } = merged
  const expand = (wanted: (section: string) => boolean, declared: Declared) => {
    const chosen = toMap(merged, new Map([...members].filter(([section]) => wanted(section))))
    return expandTree(chosen, (source) => sourcesOf(source, declared, options), findings)
  }
  const declarations = expand((section) => section === 'env', new Map())
  const declared = readDeclared(declarations.members.get('env'), env, findings)
  const others = expand((section) => section !== 'env', declared)
  return {
    expanded: toMap(merged, new Map([...others.members, ...declarations.members])),
    declared,
  }
}

function sourcesOf(source: Source, declared: Declared, options: FinishOptions): ValueSources {
  const { env = {}, layers, outside } = options
  return {
    env,
    declared,
    editorNames: editorNames(source, env),
    inputs: layers.files.find(({ source: own }) => own === source)?.inputs ?? new Map(),
    readOutside: (kind, name) => outside({ source, kind, name }),
  }
}

/** What VS Code and Cursor put into their files by themselves. */
function editorNames({ folder }: Source, env: Environment): Map<string, string> {
  const editors = ['.vscode', '.cursor']
  const workspace = editors.includes(basename(folder)) ? dirname(folder) : folder
  const home = env.HOME ?? env.USERPROFILE
  return new Map([
    ['workspaceFolder', workspace],
    ['workspaceFolderBasename', basename(workspace)],
    ...(home === undefined ? [] : ([['userHome', home]] as const)),
  ])
}

type Ordered = { readonly file: string; readonly line?: number; readonly column?: number }

/** File by file as they were read, and each from its beginning. */
function orderOf(layers: Layers): (a: Ordered, b: Ordered) => number {
  const rank = new Map(layers.files.map(({ source }, index) => [source.file, index]))
  return (a, b) =>
    (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0)
}
