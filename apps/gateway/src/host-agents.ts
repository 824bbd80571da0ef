import type { Configuration, PromptSettings } from '@mobius-mcp/config'
import { noHooks } from '@mobius-mcp/hooks'
import { type ServerDefinition, systemClock } from '@mobius-mcp/protocol'
import type { Snapshot } from '@mobius-mcp/tools-service'
import { chooseModel } from './choose-model.ts'
import type { DefaultAgentOptions } from './default-agent.ts'
import { createLazyAgents, type LazyAgents, type LazyAgentsOptions } from './lazy-agents.ts'
import { createPromptServer } from './prompt-server.ts'
import { createSamplingServer, sampleByCall } from './sampling-server.ts'
import { toAgents } from './to-agents.ts'
import { toSnapshot, toTurnHooks } from './to-snapshot.ts'
import type { Variables } from './variables.ts'

/** What this process has itself of a configuration: its agents and its prompts. */
export interface Hosting {
  readonly agents: LazyAgents
  /** A configuration as the tools service goes by it. Agents go by it from then on. */
  snapshot(configuration: Configuration): Snapshot
}

export interface HostingOptions
  extends DefaultAgentOptions,
    Omit<LazyAgentsOptions, 'hooks' | 'current'> {
  /** The configuration of the moment. */
  current(): Configuration
}

/** Loads nothing before an agent is used. */
export function createHosting(options: HostingOptions): Hosting {
  let hooks = noHooks
  const agents = createLazyAgents({ ...options, hooks: () => hooks })
  const promptServer = createPromptServers(options.variables)
  const { current, variables, clock = systemClock } = options
  const samplingServer = createSamplingServer({
    current,
    models: async () => {
      const { createModelSource } = await import('./model-source.ts')
      return createModelSource({ current, variables, clock })
    },
    toParts: async (content) => (await import('@mobius-mcp/models')).toModelContent(content),
  })
  return {
    agents,
    snapshot(configuration) {
      hooks = toTurnHooks(configuration)
      const served = agents.serve(toAgents(configuration, options))
      const canSample = chooseModel(configuration, undefined) !== undefined
      return {
        ...toSnapshot(configuration),
        builtIn: [
          ...served,
          ...promptServer(configuration.prompts),
          ...(canSample ? [samplingServer] : []),
        ],
        sample: canSample ? sampleByCall : undefined,
      }
    },
  }
}

/** Gives the same server for the same prompts, and none for none. */
function createPromptServers(
  variables: Pick<Variables, 'of'>,
): (prompts: readonly PromptSettings[]) => readonly ServerDefinition[] {
  let made: { readonly key: string; readonly server: ServerDefinition } | undefined
  return (prompts) => {
    if (prompts.length === 0) return []
    const key = JSON.stringify(prompts.map(({ name, identity }) => [name, identity]))
    if (made?.key !== key) made = { key, server: createPromptServer(prompts, variables) }
    return [made.server]
  }
}
