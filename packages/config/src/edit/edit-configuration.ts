import { ConfigError, type ConfigProblem } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { type ParseConfigOptions, parseConfig } from '../parse-config.ts'
import { Findings } from '../read/findings.ts'
import { looksLikeJson, readSource } from '../read/read-source.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import { looksLikeServer, recogniseShape } from '../shapes/file-shape.ts'
import { editJson } from './edit-json.ts'
import { editYaml } from './edit-yaml.ts'
import type { ServerEdit } from './server-edit.ts'

/**
 * Changes the servers of a configuration text, and leaves all else as it is: comments, order and
 * form. YAML and JSON with comments, `mcpServers`, VS Code's `servers` and bare maps.
 *
 * @throws ConfigError where the text cannot be read, a name is taken or missing, or what would come
 * of it cannot be used.
 */
export function editConfiguration(
  text: string,
  edits: readonly ServerEdit[],
  options: ParseConfigOptions,
): string {
  const edited = applyServerEdits(text, edits, options.file)
  try {
    parseConfig(edited, options)
  } catch (error) {
    if (!(error instanceof ConfigError) || error.problems.some(isOurs)) throw error
  }
  return edited
}

/** Variables may be set later, and other files are not seen here. */
export function isOurs({ code, message }: ConfigProblem): boolean {
  return (
    code !== 'UNSET_VARIABLE' && code !== 'UNREADABLE' && !message.startsWith('needs the files')
  )
}

/** The same without looking whether what comes of it can be used. */
export function applyServerEdits(text: string, edits: readonly ServerEdit[], file: string): string {
  return edits.reduce((current, edit) => applyEdit(current, edit, file), text)
}

function applyEdit(text: string, edit: ServerEdit, file: string): string {
  const { root } = readSource(text, file)
  const holder = holderOf(root)
  const servers = holder.reduce<SourceNode | undefined>(memberOf, root)
  const names = servers?.kind === 'map' ? [...servers.members.keys()] : []
  const there = names.includes(edit.name)
  if (edit.kind === 'remove' && !there) throw missing(edit.name, names, file)
  if (edit.kind === 'add' && there && !edit.replace) throw taken(edit.name, file)
  const value = edit.kind === 'add' ? edit.entry : undefined
  const path = [...holder, edit.name]
  if (looksLikeJson(text) || /\.jsonc?$/.test(file)) return editJson(text, path, value)
  try {
    return editYaml(text, path, value)
  } catch (error) {
    if (error instanceof ReferenceError) throw referredTo(edit.name, file)
    throw error
  }
}

/** Where servers stand in this file, or would. */
function holderOf(root: SourceNode): readonly string[] {
  if (root.kind !== 'map') return ['mcpServers']
  const { members } = recogniseShape(root, new Findings())
  if (members.get('mcpServers') === root) return []
  const vsCode = !root.members.has('mcpServers') && members.has('mcpServers')
  if (vsCode) return ['servers']
  const isBare = root.members.size > 0 && [...root.members.values()].every(looksLikeServer)
  return isBare ? [] : ['mcpServers']
}

function missing(name: string, names: readonly string[], file: string): ConfigError {
  const suggestion = nearest(name, names)
  const hint = suggestion
    ? `; did you mean ${suggestion}?`
    : `; there are: ${names.join(', ') || 'none'}`
  const message = `there is no server ${JSON.stringify(name)} in this file${hint}`
  return refusal({ code: 'UNKNOWN_SERVER', file, path: [], message })
}

function referredTo(name: string, file: string): ConfigError {
  const message = `${JSON.stringify(name)} holds an anchor (&) that another place refers to (*); write out what is meant there first`
  return refusal({ code: 'WRONG_VALUE', file, path: ['mcpServers', name], message })
}

function taken(name: string, file: string): ConfigError {
  const message = `there is a server ${JSON.stringify(name)} already; remove it first, or choose another name`
  return refusal({ code: 'DUPLICATE_KEY', file, path: [], message })
}

function refusal(problem: ConfigProblem): ConfigError {
  return new ConfigError('CONFIG_INVALID', { file: problem.file, problems: [problem] })
}
