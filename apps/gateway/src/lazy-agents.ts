import type { Agents } from '@mobius-mcp/agent-server'
import type { Hooks } from '@mobius-mcp/hooks'
import { type Clock, type ServerDefinition, systemClock } from '@mobius-mcp/protocol'
import type { Logger } from '@mobius-mcp/telemetry/log'
import type { ToolsService } from '@mobius-mcp/tools-service'
import type { LazyState } from './lazy-state.ts'
import type { ModelSourceOptions } from './model-source.ts'
import type { ConfiguredAgent } from './to-agents.ts'

/** Agents, which are loaded with all that they need when the first of them is used. */
export interface LazyAgents extends AsyncDisposable {
  /**
   * The servers of these agents, and from now on of no others. An agent that was there before keeps its
   * server, which goes by the new definition.
   */
  serve(agents: readonly ConfiguredAgent[]): readonly ServerDefinition[]
  /** Loads them. @throws StoreError where what is kept cannot be used. */
  open(): Promise<Agents>
}

export interface LazyAgentsOptions extends Omit<ModelSourceOptions, 'clock'> {
  readonly state: LazyState
  readonly logger: Logger
  readonly clock?: Clock | undefined
  /** The hooks of the moment that look at agents' turns. */
  hooks(): Hooks
  service(): Pick<ToolsService, 'callerFor'>
}

/** Loads nothing yet. */
export function createLazyAgents(options: LazyAgentsOptions): LazyAgents {
  return new AgentsToCome(options)
}

interface Served extends ConfiguredAgent {
  readonly server: ServerDefinition
}

class AgentsToCome implements LazyAgents {
  readonly #options: LazyAgentsOptions
  #served = new Map<string, Served>()
  #opening: Promise<Agents> | undefined
  #agents: Agents | undefined

  constructor(options: LazyAgentsOptions) {
    this.#options = options
  }

  serve(agents: readonly ConfiguredAgent[]): readonly ServerDefinition[] {
    const before = this.#served
    this.#served = new Map(
      agents.map((agent) => {
        const { name } = agent.definition
        return [name, { ...agent, server: this.#serverOf(agent, before.get(name)) }]
      }),
    )
    for (const name of before.keys()) if (!this.#served.has(name)) this.#agents?.remove(name)
    for (const [name, { definition, identity }] of this.#served) {
      if (before.get(name)?.identity !== identity) this.#agents?.serve(definition)
    }
    return Array.from(this.#served.values(), ({ server }) => server)
  }

  open(): Promise<Agents> {
    this.#opening ??= this.#load()
    // Whoever asks next tries again.
    this.#opening.catch(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const agents = await this.#opening?.catch(() => undefined)
    await agents?.close()
  }

  /** What the server itself says stays as it was made; what else an agent is may change under it. */
  #serverOf({ definition }: ConfiguredAgent, before: Served | undefined): ServerDefinition {
    const { name, title, visibility } = definition
    const isSame = before?.definition.title === title && before?.server.visibility === visibility
    if (before && isSame) return before.server
    return {
      name,
      visibility,
      instance: 'process',
      plainNames: true,
      asksClient: true,
      create: async (environment) => {
        const agents = await this.open()
        const current = this.#served.get(name)?.definition ?? definition
        return await agents.serve(current).create(environment)
      },
    }
  }

  async #load(): Promise<Agents> {
    const { state, logger, service, current, variables, hooks } = this.#options
    const { clock = systemClock } = this.#options
    const [{ createAgents }, { createModelSource }, { store, owner }] = await Promise.all([
      import('@mobius-mcp/agent-server'),
      import('./model-source.ts'),
      state.open(),
    ])
    const agents = createAgents({
      models: createModelSource({ current, variables, clock }),
      state: store,
      owner,
      callerFor: (context) => service().callerFor(context),
      // Each turn takes those of the moment in which it begins.
      get hooks() {
        return hooks()
      },
      clock,
      onProblem: (message) => logger.warn(message),
    })
    for (const { definition } of this.#served.values()) agents.serve(definition)
    this.#agents = agents
    return agents
  }
}
