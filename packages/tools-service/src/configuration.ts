import { type Hooks, noHooks } from '@mobius-mcp/hooks'
import { listMethods } from '@mobius-mcp/protocol'
import type { Authorize, Sample, Snapshot } from './options.ts'
import type { Server } from './server.ts'

/** What of a configuration is no server. */
export interface Policies {
  readonly hooks: Hooks
  readonly authorize: Authorize | undefined
  readonly hookTrace: NonNullable<Snapshot['hookTrace']>
  readonly sample: Sample | undefined
}

/**
 * Everything that a call goes by, as it stands at one moment. Never changed: what began with one
 * configuration ends with it, whatever is applied meanwhile.
 */
export class Configuration {
  /** Grows with every change. */
  readonly generation: number
  readonly servers: readonly Server[]
  readonly hooks: Hooks
  readonly authorize: Authorize | undefined
  readonly hookTrace: Policies['hookTrace']
  readonly sample: Sample | undefined
  /** Whether there are any hooks at all: most calls need to look no further. */
  readonly hooked: boolean
  readonly #byName: ReadonlyMap<string, Server>

  constructor(generation: number, servers: readonly Server[], policies: Policies) {
    this.generation = generation
    this.servers = servers
    this.hooks = policies.hooks
    this.authorize = policies.authorize
    this.hookTrace = policies.hookTrace
    this.sample = policies.sample
    this.hooked = policies.hooks !== noHooks
    this.#byName = new Map(servers.map((server) => [server.name, server]))
  }

  server(name: string): Server | undefined {
    return this.#byName.get(name)
  }
}

/** The servers that are not the same in two configurations, or whose lists hooks may treat differently. */
export function changedServers(before: Configuration, after: Configuration): string[] {
  const names = new Set([...before.servers, ...after.servers].map(({ name }) => name))
  const hooksLists = (name: string, { hooks }: Configuration) =>
    Object.values(listMethods).some(({ method }) => !hooks.for(name, method, 'response').empty)
  return [...names].filter((name) => {
    if (before.server(name) !== after.server(name)) return true
    if (before.hooks === after.hooks) return false
    return hooksLists(name, before) || hooksLists(name, after)
  })
}
