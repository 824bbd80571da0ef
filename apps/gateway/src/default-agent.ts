import type { AgentDefinition } from '@mobius-mcp/agent-server'
import type { Configuration } from '@mobius-mcp/config'

/** The agent of those who have configured none. */
export const defaultAgentName = 'assistant'

/** Its name, where there is one: a configuration with agents, or with a server of this name, has none. */
export function defaultAgentsOf({
  agents,
  servers,
}: Pick<Configuration, 'agents' | 'servers'>): readonly string[] {
  const isTaken = agents.length > 0 || servers.some(({ name }) => name === defaultAgentName)
  return isTaken ? [] : [defaultAgentName]
}

export interface DefaultAgentOptions {
  /** Built-in servers that clients see where the configuration does not say otherwise. */
  readonly builtIn: readonly string[]
  /** `server/tool` of what an agent could not use anyway. */
  readonly operatorsOnly: readonly string[]
}

/** It may use what is published to clients, and by the same rules as any agent. */
export function createDefaultAgent(
  { publish }: Configuration,
  { builtIn, operatorsOnly }: DefaultAgentOptions,
): AgentDefinition {
  const refs = publish.implied ? [...builtIn, ...publish.refs] : publish.refs
  return {
    name: defaultAgentName,
    title: 'Assistant',
    description:
      'Chat with the assistant of this gateway, which can use the tools that are published here.',
    tools: [...refs, ...[defaultAgentName, ...operatorsOnly].map((ref) => `!${ref}`)],
  }
}
