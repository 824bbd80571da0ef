import { isAbsolute, join } from 'node:path'
import type { AgentSettings } from '../agent-settings.ts'
import { BearerKey } from '../bearer-key.ts'
import type { Configuration, HookSettings, HttpSettings, Provenance } from '../configuration.ts'
import type { ConfigProblem } from '../errors.ts'
import type { PermissionSettings } from '../permission-settings.ts'
import { locate, memberOf, type SourceMap, type SourceNode, toMap } from '../read/source-tree.ts'
import type { ConfigFile } from '../schema/config-file.ts'
import type { DeclaredVariable, Environment } from '../values/value-sources.ts'
import { digest } from './digest.ts'
import { freeze, toRecord } from './freeze.ts'
import { toAgents, toEntrypoints } from './to-agents.ts'
import { toHooks } from './to-hooks.ts'
import { toModels } from './to-models.ts'
import { textsOf, toPermissions } from './to-permissions.ts'
import { toPrompts } from './to-prompts.ts'
import { toMainPublish, toPublish } from './to-publish.ts'
import { toServer } from './to-server.ts'
import { toVariables } from './to-variables.ts'
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
  readonly env: Environment
  /** Variables that the files declare. */
  readonly declared: ReadonlyMap<string, DeclaredVariable>
}

/** Fills in what the files leave out, and freezes the whole. */
export function toConfiguration(config: ConfigFile, context: BuildContext): Configuration {
  const { root, file, files, folders, profiles, warnings, known } = context
  const entries = config.mcpServers
  const serverNode = root.members.get('mcpServers') ?? toMap(root, new Map())
  const groups = Object.entries(config.groups ?? {}).map(
    ([name, entry]) => [name, toPublish(entry, config)] as const,
  )
  const settings = {
    servers: Object.entries(entries).map(([name, entry]) =>
      toServer(name, entry, memberOf(serverNode, name) ?? serverNode),
    ),
    agents: toAgents(config, root),
    entrypoints: toEntrypoints(config),
    models: toModels(config, context),
    prompts: toPrompts(config, root),
    variables: toVariables(config, context.declared),
    publish: toMainPublish(config),
    groups: toRecord(Object.fromEntries(groups)),
    hooks: toHooks(config, { root, known }),
    permissions: toPermissions(root.members.get('permissions')),
    http: toHttp(config),
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
  readonly agents: readonly AgentSettings[]
  readonly permissions: PermissionSettings
  readonly hooks: readonly HookSettings[]
}): unknown {
  const agents = settings.agents.map(({ name, identity }) => [name, identity])
  const hooks = settings.hooks.map((hook) => ({ ...hook, with: hook.with }))
  return { ...settings, agents, hooks, permissions: textsOf(settings.permissions) }
}

/** Relative to the file that says so. */
function toState(state: string, node: SourceNode | undefined): string {
  return isAbsolute(state) || !node ? state : join(node.source.folder, state)
}

function toHttp(config: ConfigFile): HttpSettings {
  const { http = {} } = config
  const keys = http.keys ?? []
  return {
    ...http,
    allowedHosts: http.allowedHosts ?? [],
    allowedOrigins: http.allowedOrigins ?? [],
    trustedProxies: http.trustedProxies ?? [],
    keys: keys.map(
      ({ publish, ...key }) =>
        new BearerKey({ ...key, ...(publish && { publish: toPublish(publish, config) }) }),
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
