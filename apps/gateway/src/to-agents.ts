import type { AgentDefinition } from '@mobius-mcp/agent-server'
import { type AgentSettings, type Configuration, revealAgent } from '@mobius-mcp/config'
import type { Principal } from '@mobius-mcp/protocol'
import { createDefaultAgent, type DefaultAgentOptions, defaultAgentsOf } from './default-agent.ts'
import type { Variables } from './variables.ts'

/** An agent of a configuration. */
export interface ConfiguredAgent {
  readonly definition: AgentDefinition
  /** Changes whenever anything of it does. */
  readonly identity: string
}

export interface ToAgentsOptions extends DefaultAgentOptions {
  readonly variables: Pick<Variables, 'of'>
}

/** The agents of a configuration, those that people are led to first; where it has none, the default one. */
export function toAgents(
  configuration: Configuration,
  options: ToAgentsOptions,
): readonly ConfiguredAgent[] {
  const { agents } = configuration
  if (agents.length === 0) {
    const definition = createDefaultAgent(configuration, options)
    const identity = JSON.stringify(definition)
    return defaultAgentsOf(configuration).map(() => ({ definition, identity }))
  }
  const places = new Map(configuration.entrypoints.map((name, place) => [name, place]))
  const placeOf = ({ name }: AgentSettings) => places.get(name) ?? places.size
  return agents
    .toSorted((left, right) => placeOf(left) - placeOf(right))
    .map((settings) => toAgent(settings, options.variables))
}

/** The agents that clients see where the configuration does not say otherwise, the default one first. */
export function entrypointsOf(configuration: Configuration): readonly string[] {
  return [...defaultAgentsOf(configuration), ...configuration.entrypoints]
}

/** What is secret in it is revealed when it is used, and not before. */
function toAgent(settings: AgentSettings, variables: Pick<Variables, 'of'>): ConfiguredAgent {
  const { instructions, ...rest } = settings
  const { icons, starterMessages, identity } = settings
  const definition: AgentDefinition = { ...revealAgent(rest), icons, starterMessages }
  if (instructions === undefined) return { definition, identity }
  const ready = (principal: Principal) =>
    revealAgent(settings, variables.of(principal)).instructions ?? ''
  return { definition: { ...definition, instructions: ready }, identity }
}
