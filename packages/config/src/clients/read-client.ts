import { isAbsolute, resolve } from 'node:path'
import type { JsonObject } from '@mobius-mcp/protocol'
import { isOurs } from '../edit/edit-configuration.ts'
import { ConfigError, type ConfigProblem } from '../errors.ts'
import { toJsonObject } from '../json-object.ts'
import { parseConfig } from '../parse-config.ts'
import { Findings } from '../read/findings.ts'
import { readSource } from '../read/read-source.ts'
import {
  memberOf,
  type SourceMap,
  type SourceNode,
  toData,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import { canonicalServers } from '../shapes/canonical-servers.ts'
import { recogniseShape } from '../shapes/file-shape.ts'
import { carryOver } from './carry-over.ts'
import { carryReferences, projectFolder } from './carry-references.ts'
import { type ClientKind, recogniseClientFile } from './client-files.ts'
import { clientFormats } from './client-format.ts'
import { readToml } from './read-toml.ts'

/** The servers of another client, as files here name them. */
export interface ImportedServers {
  readonly servers: readonly { readonly name: string; readonly entry: JsonObject }[]
  /** What could not be carried over, by name: keys without effect here, servers that cannot be. */
  readonly warnings: readonly ConfigProblem[]
}

export interface ReadClientOptions {
  /** What problems call the text; and it tells whose file it is. */
  readonly file: string
  /** Whose file it is; found out by default. */
  readonly client?: ClientKind | undefined
  /** The project whose servers are meant, where a client keeps those of several in one file. */
  readonly project?: string | undefined
}

/**
 * Reads the servers of another client's file, to be added to one of ours. References are kept, as
 * they are written here; nothing is put in for them.
 *
 * @throws ConfigError for a text that cannot be read.
 */
export function readClient(text: string, options: ReadClientOptions): ImportedServers {
  const { file, client = recogniseClientFile(file) } = options
  const findings = new Findings()
  const root = client === 'codex' ? readToml(text, file) : readSource(text, file).root
  const section = sectionOf(root, client, options) ?? toMap(root, new Map())
  const carried = new Map<string, SourceNode>()
  for (const [name, entry] of section.kind === 'map' ? section.members : []) {
    carried.set(name, entry.kind === 'map' ? carry(entry, { ...options, client, findings }) : entry)
  }
  const canonical = canonicalServers(toMap(section, carried), findings)
  const warnings: ConfigProblem[] = [...findings.warnings, ...findings.problems]
  const servers: { name: string; entry: JsonObject }[] = []
  for (const [name, node] of canonical.kind === 'map' ? canonical.members : []) {
    const { entry, problems } = withoutUnknown(name, toData(node), node)
    if (entry) servers.push({ name, entry })
    warnings.push(...problems)
  }
  return { servers, warnings }
}

function sectionOf(
  root: SourceNode,
  client: ClientKind | undefined,
  { project }: ReadClientOptions,
): SourceNode | undefined {
  if (!client) return root.kind === 'map' ? shapeOf(root) : undefined
  const found = clientFormats[client].sections.map((path) =>
    path.reduce<SourceNode | undefined>(memberOf, root),
  )
  // The deepest: in OpenCode's newer files `mcp` holds `servers`.
  const section = found.findLast((node) => node?.kind === 'map')
  if (client !== 'claude-code') return section ?? (root.kind === 'map' ? shapeOf(root) : undefined)
  const own = project && memberOf(memberOf(memberOf(root, 'projects'), project), 'mcpServers')
  return merged(section ?? (root.kind === 'map' ? shapeOf(root) : undefined), own || undefined)
}

function shapeOf(root: SourceMap): SourceNode | undefined {
  return recogniseShape(root, new Findings()).members.get('mcpServers')
}

function merged(first: SourceNode | undefined, second: SourceNode | undefined) {
  if (first?.kind !== 'map' || second?.kind !== 'map') return second ?? first
  return toMap(first, new Map([...first.members, ...second.members]))
}

function carry(
  entry: SourceMap,
  { client, project, findings }: ReadClientOptions & { readonly findings: Findings },
): SourceMap {
  const { folder } = entry.source
  const carried = carryReferences(carryOver(entry, client, findings), client, folder)
  const own = project !== undefined && entry.path.includes(project)
  return carried.kind === 'map' ? withFolder(carried, own ? project : projectFolder(folder)) : entry
}

/** What is relative starts from the client's project, wherever the entry goes. */
function withFolder(entry: SourceMap, start: string): SourceMap {
  const { members } = entry
  const cwd = members.get('cwd')
  const command = members.get('command')
  const given = cwd?.kind === 'scalar' && typeof cwd.value === 'string' ? cwd.value : undefined
  const relative =
    given === undefined ? isRelative(command) : !isAbsolute(given) && !/^[~$]/.test(given)
  if (!relative || !command) return entry
  const folder = resolve(start, given ?? '')
  return toMap(entry, new Map([...members, ['cwd', toScalar(entry, folder)]]))
}

function isRelative(command: SourceNode | undefined): boolean {
  return command?.kind === 'scalar' && /^\.{1,2}[\\/]/.test(command.text ?? '')
}

/** What of an entry can be had here, and what is wrong with the rest or the whole. */
function withoutUnknown(
  name: string,
  data: unknown,
  node: SourceNode,
): { readonly entry?: JsonObject; readonly problems: readonly ConfigProblem[] } {
  const entry = toJsonObject(data)
  const problems = refusalsOf(name, data, node)
  const unknown = problems.filter(({ code, path }) => code === 'UNKNOWN_KEY' && path.length === 3)
  if (problems.length === 0) return { entry, problems }
  if (unknown.length < problems.length) return { problems }
  const keys = unknown.map(({ path }) => path[2])
  const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)))
  // A slip in `command` is no key of another client.
  return refusalsOf(name, rest, node).length === 0 ? { entry: rest, problems } : { problems }
}

/** Why a server cannot be had here: as it will be when it is added alone. */
function refusalsOf(name: string, entry: unknown, node: SourceNode): ConfigProblem[] {
  const { file } = node.source
  try {
    parseConfig(JSON.stringify({ mcpServers: { [name]: entry } }), { file })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const place = node.source.positionOf(node.keyOffset)
    return error.problems.filter(isOurs).map((problem) => ({ ...problem, ...place }))
  }
}
