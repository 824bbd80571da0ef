import { type ModelVendor, modelVendors, providerOf, resolveModelName } from '../model-names.ts'
import type { ModelSettings, ProviderSettings } from '../model-settings.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import type { ConfigFile, ModelsEntry, ProviderEntry } from '../schema/config-file.ts'
import { Secret } from '../secret.ts'
import type { Environment } from '../values/value-sources.ts'
import { toRecord } from './freeze.ts'
import { hide, hideAll } from './hide.ts'

interface Context {
  readonly root: SourceNode
  readonly env: Environment
}

/** All models: those of the files, and those of vendors that the files only name. */
export function toModels(config: ConfigFile, { root, env }: Context): ModelSettings {
  const { models = {} } = config
  const aliases = toAliases(models)
  const node = memberOf(memberOf(root, 'models'), 'providers')
  const own = Object.entries(models.providers ?? {}).map(
    ([name, entry]) =>
      [name, toProvider(name, entry, { node: memberOf(node, name), env })] as const,
  )
  const vendors = namedVendors(config, aliases).map(
    (name) => [name, toProvider(name, {}, { node: undefined, env })] as const,
  )
  return {
    providers: toRecord(Object.fromEntries([...own, ...vendors])),
    aliases: toRecord(aliases),
    prices: toRecord(models.prices ?? {}),
  }
}

function toAliases({
  default: standard,
  mini,
  aliases = {},
  providers = {},
}: ModelsEntry): Record<string, string> {
  const all = {
    ...(standard !== undefined && { default: standard }),
    ...(mini !== undefined && { mini }),
    ...aliases,
  }
  const names = { aliases: Object.keys(aliases), providers: Object.keys(providers) }
  return Object.fromEntries(
    Object.entries(all).map(([name, target]) => [name, resolveModelName(target, names) ?? target]),
  )
}

/** Vendors whose models are named, and that no file configures. */
function namedVendors(
  { agents = {}, models = {} }: ConfigFile,
  aliases: Readonly<Record<string, string>>,
): string[] {
  const names = { aliases: Object.keys(aliases), providers: Object.keys(models.providers ?? {}) }
  const chosen = Object.values(agents).flatMap(({ model }) => model ?? [])
  const named = [...Object.values(aliases), ...chosen].map((name) => {
    const resolved = resolveModelName(name, names)
    return resolved === undefined ? undefined : providerOf(resolved)
  })
  return [...modelVendors.keys()].filter(
    (vendor) => named.includes(vendor) && !names.providers.includes(vendor),
  )
}

function toProvider(
  name: string,
  { dialect, baseUrl, key, headers = {} }: ProviderEntry,
  { node, env }: { readonly node: SourceNode | undefined; readonly env: Environment },
): ProviderSettings {
  const vendor = modelVendors.get(name)
  const made = {
    dialect: dialect ?? vendor?.dialect ?? 'openai-chat',
    ...(baseUrl !== undefined && { baseUrl: hide(baseUrl, memberOf(node, 'baseUrl')) }),
    ...(key !== undefined && { key: hidden(key, memberOf(node, 'key')) }),
    headers: hideAll(headers, memberOf(node, 'headers')),
  }
  // What a vendor's own key is for, is never sent to another address.
  const bare = baseUrl === undefined && key === undefined && Object.keys(headers).length === 0
  return vendor && bare ? { ...made, ...fromEnvironment(vendor, env) } : made
}

/** A secret even where the file spells it out. */
function hidden(text: string, node: SourceNode | undefined): Secret {
  const value = hide(text, node)
  return value instanceof Secret ? value : new Secret(value)
}

function fromEnvironment(
  { keyVariables, urlVariable }: ModelVendor,
  env: Environment,
): Pick<ProviderSettings, 'key' | 'baseUrl'> {
  const key = keyVariables.map((name) => env[name]).find(Boolean)
  const baseUrl = urlVariable === undefined ? undefined : env[urlVariable]
  return {
    ...(key && { key: new Secret(key) }),
    ...(baseUrl && { baseUrl: new Secret(baseUrl) }),
  }
}
