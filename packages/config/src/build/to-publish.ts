import type { PublishSettings } from '../configuration.ts'
import { promptServerName } from '../prompt-settings.ts'
import type { ConfigFile, PublishEntry, ServerEntry } from '../schema/config-file.ts'
import { toRecord } from './freeze.ts'

/** What all clients see. The default agent is among those whom they are led to. */
export function toMainPublish(config: ConfigFile): PublishSettings {
  const { publish = {}, agents = {} } = config
  const { entrypoint } = publish
  if (entrypoint === undefined) return toPublish(publish, config)
  const first = Object.keys(agents).filter((name) => agents[name]?.default === true)
  const all = [...new Set([...first, ...entrypoint])]
  return toPublish({ ...publish, entrypoint: all }, config)
}

/** What clients see, as references. */
export function toPublish(entry: PublishEntry, config: ConfigFile): PublishSettings {
  const { exclude = [], rename = {}, describe = {} } = entry
  const named = namedBy(entry, config)
  // To name only what is left out is to publish all the rest.
  const implied =
    named === undefined || (named.length > 0 && named.every((ref) => ref.startsWith('!')))
  const everything = [...enabledServers(config), ...chatAgents(config), ...promptsOf(config)]
  const refs = [
    ...(implied ? everything : []),
    ...(named ?? []),
    ...Object.entries(rename).map(([reference, alias]) => `${reference}:${alias}`),
    ...exclude.map((reference) => `!${reference}`),
  ]
  return {
    refs: toPromptReferences(toToolReferences(refs, config), config),
    implied,
    describe: toRecord({ ...describeOverrides(config.mcpServers), ...describe }),
  }
}

/** What is to be published by its name, if anything is. Who says so of servers alone leaves agents as they are. */
function namedBy(entry: PublishEntry, config: ConfigFile): string[] | undefined {
  const { include, mcpServers, entrypoint } = entry
  if (include === undefined && mcpServers === undefined && entrypoint === undefined)
    return undefined
  const agents = include === undefined ? chatAgents(config) : []
  return [...(entrypoint ?? agents), ...(include ?? []), ...(mcpServers ?? [])]
}

function enabledServers({ mcpServers }: ConfigFile): string[] {
  return Object.entries(mcpServers)
    .filter(([, { enabled = true }]) => enabled)
    .map(([name]) => name)
}

/** Those that people chat with. */
export function chatAgents({ agents = {} }: ConfigFile): string[] {
  return Object.entries(agents)
    .filter(([, { mode }]) => mode !== 'subagent')
    .map(([name]) => name)
}

function promptsOf({ prompts = {} }: ConfigFile): string[] {
  return Object.keys(prompts)
}

/** References to tools as a tools service takes them, each once. */
export function toToolReferences(refs: readonly string[], config: ConfigFile): string[] {
  return [...new Set(refs.flatMap((ref) => narrow(ref, config.mcpServers)))]
}

/** The same for prompts. */
export function toPromptReferences(refs: readonly string[], config: ConfigFile): string[] {
  return [...new Set(refs.map((ref) => toPrompt(ref, config)))]
}

/** A server that says which of its tools there are, and what they are called, stands for those. */
function narrow(ref: string, servers: Readonly<Record<string, ServerEntry>>): string[] {
  const name = ref.replace(/\/\*$/, '')
  const overrides = Object.hasOwn(servers, name) ? servers[name]?.toolOverrides : undefined
  const tools = Object.entries(overrides ?? {})
  if (tools.length === 0) return [ref]
  return tools.map(([tool, { name: outside }]) =>
    outside === undefined ? `${name}/${tool}` : `${name}/${tool}:${outside}`,
  )
}

/** The name of a prompt of the file's own stands for it, and is what it is called outside. */
function toPrompt(ref: string, { prompts = {} }: ConfigFile): string {
  const [, mark = '', name = '', alias] = /^(!?)([^/:]+)(?::(.+))?$/.exec(ref) ?? []
  if (!Object.hasOwn(prompts, name)) return ref
  const whole = `${mark}${promptServerName}/${name}`
  return mark === '' ? `${whole}:${alias ?? name}` : whole
}

function describeOverrides(servers: Readonly<Record<string, ServerEntry>>): Record<string, string> {
  const descriptions: [string, string][] = []
  for (const [name, { toolOverrides = {} }] of Object.entries(servers)) {
    for (const [tool, { description }] of Object.entries(toolOverrides)) {
      if (description !== undefined) descriptions.push([`${name}/${tool}`, description])
    }
  }
  return Object.fromEntries(descriptions)
}
