import { Configuration, type Policies } from './configuration.ts'
import type { ExternalServer } from './options.ts'
import type { Server } from './server.ts'

/** The present configuration, made of the built-in servers in the order they were added, then the others. */
export class Registry {
  readonly #builtIn = new Map<string, Server>()
  #external = new Map<string, Server>()
  #policies: Policies
  #current: Configuration

  constructor(policies: Policies) {
    this.#policies = policies
    this.#current = new Configuration(0, [], policies)
  }

  get current(): Configuration {
    return this.#current
  }

  addBuiltIn(server: Server): void {
    if (this.#current.server(server.name)) throw duplicate(server.name)
    this.#builtIn.set(server.name, server)
    this.#change()
  }

  /**
   * Replaces what is configured, keeping the servers that did not change; all of it, or nothing
   * where it throws. Returns the servers that are gone or changed.
   */
  apply(
    configs: readonly ExternalServer[],
    policies: Policies,
    create: (config: ExternalServer) => Server,
  ): Server[] {
    const next = new Map<string, Server>()
    for (const config of configs) {
      if (this.#builtIn.has(config.name) || next.has(config.name)) throw duplicate(config.name)
      const known = this.#external.get(config.name)
      next.set(config.name, known?.identity === config.identity ? known : create(config))
    }
    const gone = [...this.#external.values()].filter((each) => next.get(each.name) !== each)
    this.#external = next
    this.#policies = policies
    this.#change()
    return gone
  }

  isBuiltIn(name: string): boolean {
    return this.#builtIn.has(name)
  }

  #change(): void {
    const servers = [...this.#builtIn.values(), ...this.#external.values()]
    this.#current = new Configuration(this.#current.generation + 1, servers, this.#policies)
  }
}

function duplicate(name: string): TypeError {
  return new TypeError(`There is a server called "${name}" already; each needs a name of its own`)
}
