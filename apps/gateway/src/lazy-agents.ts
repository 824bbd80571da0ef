import type { AgentDefinition, Agents } from '@mobius-mcp/agent-server'
import { type Clock, type ServerDefinition, systemClock } from '@mobius-mcp/protocol'
import type { Logger } from '@mobius-mcp/telemetry/log'
import type { ToolsService } from '@mobius-mcp/tools-service'
import type { LazyState } from './lazy-state.ts'

/** Agents, which are loaded with all that they need when the first of them is used. */
export interface LazyAgents extends AsyncDisposable {
  /** The server of an agent. Given again, with the same name, what was given before goes by the new definition. */
  serve(definition: AgentDefinition): ServerDefinition
  /** Takes up what a process left behind when it died, now and whenever one may have. */
  recover(): Promise<void>
}

export interface LazyAgentsOptions {
  readonly state: LazyState
  readonly logger: Logger
  service(): Pick<ToolsService, 'callerFor'>
  readonly clock?: Clock | undefined
}

/** Loads nothing yet. */
export function createLazyAgents(options: LazyAgentsOptions): LazyAgents {
  return new LoadedAgents(options)
}

/** So often somebody looks whether a process has died: as long as a lease holds. */
const recoverEvery = 15_000
/** So often what nobody needs any more is forgotten. */
const forgetEvery = 3_600_000
/** For how long what has ended is kept beside the threads themselves. */
const memory = 7 * 24 * 3_600_000

class LoadedAgents implements LazyAgents {
  readonly #options: LazyAgentsOptions
  readonly #clock: Clock
  readonly #definitions = new Map<string, AgentDefinition>()
  readonly #timers = new Set<unknown>()
  #opening: Promise<Agents> | undefined
  #agents: Agents | undefined
  #closed = false

  constructor(options: LazyAgentsOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  serve(definition: AgentDefinition): ServerDefinition {
    const { name, visibility } = definition
    this.#definitions.set(name, definition)
    this.#agents?.serve(definition)
    return {
      name,
      visibility,
      instance: 'process',
      create: async (environment) => {
        const agents = await this.#open()
        const current = this.#definitions.get(name) ?? definition
        return await agents.serve(current).create(environment)
      },
    }
  }

  async recover(): Promise<void> {
    await this.#every(recoverEvery, async () => {
      await (await this.#open()).resume()
    })
    await this.#every(forgetEvery, async () => {
      const before = this.#clock.now() - memory
      const { store } = await this.#options.state.open()
      await store.journal.forget(before)
      await store.questions.forget(before)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) this.#clock.clear(timer)
    const agents = await this.#opening?.catch(() => undefined)
    await agents?.close()
  }

  #open(): Promise<Agents> {
    this.#opening ??= this.#load()
    this.#opening.catch(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #load(): Promise<Agents> {
    const { state, logger, service } = this.#options
    const [{ createAgents }, { createModels, findLocalServers }, kept] = await Promise.all([
      import('@mobius-mcp/agent-server'),
      import('@mobius-mcp/models'),
      state.open(),
    ])
    const agents = createAgents({
      models: createModels({ offers: findLocalServers }),
      state: kept.store,
      owner: kept.owner,
      callerFor: (context) => service().callerFor(context),
      clock: this.#clock,
      onProblem: (message) => logger.warn(message),
    })
    for (const definition of this.#definitions.values()) agents.serve(definition)
    this.#agents = agents
    return agents
  }

  /** Does it now, and again and again. What goes wrong is said, and the next time may be better. */
  async #every(milliseconds: number, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#options.logger.error(`What was begun before could not be gone on with. ${why}`)
    }
    if (this.#closed) return
    const timer = this.#clock.set(() => {
      this.#timers.delete(timer)
      void this.#every(milliseconds, work)
    }, milliseconds)
    this.#timers.add(timer)
  }
}
