import { isAbsolute, join } from 'node:path'
import { BearerKey } from '../bearer-key.ts'
import type {
  Configuration,
  HookSettings,
  HttpSettings,
  PermissionSettings,
  Provenance,
  RuleText,
} from '../configuration.ts'
import type { ConfigProblem } from '../errors.ts'
import { locate, memberOf, type SourceMap, type SourceNode, toMap } from '../read/source-tree.ts'
import type { ConfigFile, HttpEntry, ServerEntry } from '../schema/config-file.ts'
import { digest } from './digest.ts'
import { freeze, toRecord } from './freeze.ts'
import { toHooks } from './to-hooks.ts'
import { toPublish } from './to-publish.ts'
import { toServer } from './to-server.ts'
import { withTree } from './tree-of.ts'

/** What a configuration is made from, beside what the schema made of the files. */
export interface BuildContext {
  /** All files, merged and expanded: where everything stands. */
  readonly root: SourceMap
  readonly file: string
  readonly files: readonly string[]
  readonly folders: readonly string[]
  readonly profiles: readonly string[]
  readonly warnings: readonly ConfigProblem[]
  /** Servers that hooks may have as their target. */
  readonly known: readonly string[]
}

/** Fills in what the files leave out, and freezes the whole. */
export function toConfiguration(config: ConfigFile, context: BuildContext): Configuration {
  const { root, file, files, folders, profiles, warnings, known } = context
  const entries = config.mcpServers
  const serverNode = root.members.get('mcpServers') ?? toMap(root, new Map())
  const groups = Object.entries(config.groups ?? {}).map(
    ([name, entry]) => [name, toPublish(entry, entries)] as const,
  )
  const settings = {
    servers: Object.entries(entries).map(([name, entry]) =>
      toServer(name, entry, memberOf(serverNode, name) ?? serverNode),
    ),
    agents: [],
    entrypoints: [],
    models: { providers: {}, aliases: {}, prices: {} },
    prompts: [],
    variables: [],
    publish: toPublish(config.publish ?? {}, entries),
    groups: toRecord(Object.fromEntries(groups)),
    hooks: toHooks(config, { root, known }),
    permissions: toPermissions(root.members.get('permissions')),
    http: toHttp(config.http ?? {}, entries),
    log: config.log ?? {},
    ...(config.state !== undefined && { state: toState(config.state, root.members.get('state')) }),
  }
  const identity = digest(withoutPlaces(settings))
  const provenance = (path: readonly string[]) => provenanceOf(root, path)
  const made = {
    file: file || undefined,
    files,
    folders,
    identity,
    ...settings,
    profiles,
    warnings,
    provenance,
  }
  return freeze(withTree(made, root))
}

/** A rule that stands on another line is the same rule. What hooks hide counts as well. */
function withoutPlaces(settings: {
  readonly permissions: PermissionSettings
  readonly hooks: readonly HookSettings[]
}): unknown {
  const texts = Object.entries(settings.permissions).map(
    ([kind, rules]: [string, readonly RuleText[]]) => [kind, rules.map(({ text }) => text)],
  )
  const hooks = settings.hooks.map((hook) => ({ ...hook, with: hook.with }))
  return { ...settings, hooks, permissions: texts }
}

function toPermissions(node: SourceNode | undefined): PermissionSettings {
  const rules = (kind: string): RuleText[] => {
    const list = memberOf(node, kind)
    return list?.kind === 'list' ? list.items.map(toRule) : []
  }
  return { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') }
}

function toRule(node: SourceNode): RuleText {
  const { file } = node.source
  const text = node.kind === 'scalar' ? (node.text ?? '') : ''
  return { text, file, ...node.source.positionOf(node.offset) }
}

/** Relative to the file that says so. */
function toState(state: string, node: SourceNode | undefined): string {
  return isAbsolute(state) || !node ? state : join(node.source.folder, state)
}

function toHttp(http: HttpEntry, servers: Readonly<Record<string, ServerEntry>>): HttpSettings {
  const keys = http.keys ?? []
  return {
    ...http,
    allowedHosts: http.allowedHosts ?? [],
    allowedOrigins: http.allowedOrigins ?? [],
    trustedProxies: http.trustedProxies ?? [],
    keys: keys.map(
      ({ publish, ...key }) =>
        new BearerKey({ ...key, ...(publish && { publish: toPublish(publish, servers) }) }),
    ),
    sessions: http.sessions ?? {},
  }
}

function provenanceOf(root: SourceMap, path: readonly string[]): Provenance | undefined {
  const { node, rest } = locate(root, path)
  if (rest.length > 0) return undefined
  const { source, keyOffset, offset } = node
  const references = node.kind === 'scalar' ? node.references : []
  const place = source.positionOf(node.kind === 'scalar' ? offset : keyOffset)
  return { file: source.file, ...place, references }
}
