import type { Configuration } from '@mobius-mcp/config'
import { noHooks } from '@mobius-mcp/hooks'
import type { ServerDefinition } from '@mobius-mcp/protocol'
import type { Logger } from '@mobius-mcp/telemetry/log'
import type { Snapshot, ToolsService } from '@mobius-mcp/tools-service'
import type { DefaultAgentOptions } from './default-agent.ts'
import { createLazyAgents, type LazyAgents } from './lazy-agents.ts'
import { createLazyState, type LazyState } from './lazy-state.ts'
import { createPromptServer } from './prompt-server.ts'
import { toAgents } from './to-agents.ts'
import { toSnapshot, toTurnHooks } from './to-snapshot.ts'
import { createVariables, type Variables } from './variables.ts'

/** The half of a gateway that hosts: agents, prompts, and what is kept of them. */
export interface Hosting extends AsyncDisposable {
  readonly agents: LazyAgents
  readonly state: LazyState
  readonly variables: Variables
  /** A configuration as the tools service goes by it; agents go by it from now on. */
  snapshot(configuration: Configuration): Snapshot
}

export interface HostingOptions extends DefaultAgentOptions {
  /** The state folder. */
  readonly folder: string
  readonly logger: Logger
  /** The configuration of the moment. */
  current(): Configuration
  service(): ToolsService
}

/** Loads nothing before an agent is used. */
export function openHosting(options: HostingOptions): Hosting {
  const { folder, logger, current, service } = options
  let hooks = noHooks
  let prompts: { readonly identity: string; readonly server: ServerDefinition } | undefined
  const variables = createVariables({
    current,
    onGiven: () => {
      for (const { name, reason } of service().states())
        if (reason !== undefined) service().retry(name)
    },
  })
  const state = createLazyState({ folder, logger })
  const agents = createLazyAgents({
    ...{ state, logger, current, variables, service },
    hooks: () => hooks,
  })
  const promptsOf = (configuration: Configuration): ServerDefinition[] => {
    if (configuration.prompts.length === 0) return []
    const identity = JSON.stringify(configuration.prompts.map((each) => [each.name, each.identity]))
    if (prompts?.identity !== identity) {
      prompts = { identity, server: createPromptServer(configuration.prompts, variables) }
    }
    return [prompts.server]
  }
  return {
    agents,
    state,
    variables,
    snapshot(configuration) {
      hooks = toTurnHooks(configuration)
      const served = agents.serve(toAgents(configuration, { ...options, variables }))
      return { ...toSnapshot(configuration), builtIn: [...served, ...promptsOf(configuration)] }
    },
    async [Symbol.asyncDispose]() {
      await agents[Symbol.asyncDispose]()
    },
  }
}
