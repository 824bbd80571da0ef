import type { AgentIcon, AgentLimits, AgentSettings, SamplingHints } from '../agent-settings.ts'
import { resolveModelName } from '../model-names.ts'
import { promptServerName } from '../prompt-settings.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import type { AgentEntry, ConfigFile, InstructionsEntry } from '../schema/config-file.ts'
import { digest } from './digest.ts'
import { hide, hideAll } from './hide.ts'
import { toOutput } from './to-output.ts'
import { textsOf, toPermissions } from './to-permissions.ts'
import { chatAgents, toPromptReferences, toToolReferences } from './to-publish.ts'

/** All agents. `root` is where they stand. */
export function toAgents(config: ConfigFile, root: SourceNode): AgentSettings[] {
  const section = memberOf(root, 'agents')
  return Object.entries(config.agents ?? {}).map(([name, entry]) => {
    const node = memberOf(section, name)
    const settings = toAgent(entry, { config, node })
    const identity = digest({ ...settings, permissions: textsOf(settings.permissions) })
    return { name, identity, ...settings }
  })
}

interface Context {
  readonly config: ConfigFile
  readonly node: SourceNode | undefined
}

function toAgent(
  entry: AgentEntry,
  { config, node }: Context,
): Omit<AgentSettings, 'name' | 'identity'> {
  const { title, description, model, output, limits = {} } = entry
  const { temperature, topP, maxOutputTokens, reasoning, contextWindow } = entry
  const instructions = toInstructions(entry, memberOf(node, 'instructions'))
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    icons: toIcons(entry),
    starterMessages: entry.starterMessages ?? [],
    mode: entry.mode ?? 'chat',
    ...(model !== undefined && { model: toModelName(model, config) }),
    ...(instructions !== undefined && { instructions }),
    ...toUsed(entry, config),
    ...(output && { output: toOutput(output) }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(contextWindow !== undefined && { contextWindow }),
    limits: toLimits(limits),
    permissions: toPermissions(memberOf(node, 'permissions')),
    sampling: toHints(entry),
  }
}

/** What is off is no limit. */
function toLimits({ time, ...others }: AgentLimits): AgentLimits {
  return { ...others, ...(time !== undefined && Number.isFinite(time) && { time }) }
}

/** Of a whole server it has everything. */
function toUsed(
  { tools = [], agents = [], mcpServers = [], prompts = [], resources = [] }: AgentEntry,
  config: ConfigFile,
): Pick<AgentSettings, 'tools' | 'prompts' | 'resources'> {
  const servers = mcpServers.filter((name) => !Object.hasOwn(config.prompts ?? {}, name))
  return {
    tools: toToolReferences([...tools, ...servers, ...agents], config),
    prompts: toPromptReferences([...prompts, ...mcpServers], config),
    resources: [...new Set([...resources, ...servers])],
  }
}

function toInstructions(
  { instructions }: AgentEntry,
  node: SourceNode | undefined,
): AgentSettings['instructions'] {
  if (instructions === undefined || instructions === '') return undefined
  if (typeof instructions === 'string') return hide(instructions, node)
  const {
    server = promptServerName,
    prompt,
    arguments: args = {},
  }: InstructionsEntry = instructions
  return { server, prompt, arguments: hideAll(args, memberOf(node, 'arguments')) }
}

function toIcons({ icon, iconDark }: AgentEntry): AgentIcon[] {
  if (iconDark === undefined) return icon === undefined ? [] : [{ src: icon }]
  const dark = { src: iconDark, theme: 'dark' } as const
  return icon === undefined ? [dark] : [{ src: icon, theme: 'light' }, dark]
}

function toHints({ aliases = [], cost, speed, intelligence }: AgentEntry): SamplingHints {
  return {
    aliases,
    ...(cost !== undefined && { cost }),
    ...(speed !== undefined && { speed }),
    ...(intelligence !== undefined && { intelligence }),
  }
}

function toModelName(name: string, { models }: ConfigFile): string {
  const names = {
    aliases: Object.keys(models?.aliases ?? {}),
    providers: Object.keys(models?.providers ?? {}),
  }
  return resolveModelName(name, names) ?? name
}

/** The agents that people are led to, the default one first. */
export function toEntrypoints(config: ConfigFile): string[] {
  const chatting = chatAgents(config)
  const named = config.publish?.entrypoint?.filter((name) => chatting.includes(name)) ?? []
  const wanted = chatting.filter((name) => config.agents?.[name]?.default === true)
  return [...new Set([...wanted, ...(named.length > 0 ? named : chatting)])]
}
