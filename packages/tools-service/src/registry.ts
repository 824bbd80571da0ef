import type { ServerDefinition } from '@mobius-mcp/protocol'
import { Configuration, type Policies } from './configuration.ts'
import type { ExternalServer, Snapshot } from './options.ts'
import type { Server } from './server.ts'

/** Makes what a snapshot holds into servers. */
export interface ServerMakers {
  builtIn(definition: ServerDefinition): Server
  external(config: ExternalServer): Server
}

/**
 * The present configuration, made of the built-in servers in the order they were added, then of those
 * that it defines itself, then the others.
 */
export class Registry {
  readonly #builtIn = new Map<string, Server>()
  #defined = new Map<ServerDefinition, Server>()
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
  apply(snapshot: Snapshot, policies: Policies, make: ServerMakers): Server[] {
    const names = new Set(this.#builtIn.keys())
    const take = (name: string) => {
      if (names.has(name)) throw duplicate(name)
      names.add(name)
    }
    const defined = new Map<ServerDefinition, Server>()
    for (const definition of snapshot.builtIn ?? []) {
      take(definition.name)
      defined.set(definition, this.#defined.get(definition) ?? make.builtIn(definition))
    }
    const external = new Map<string, Server>()
    for (const config of snapshot.servers) {
      take(config.name)
      const known = this.#external.get(config.name)
      const isSame = known?.identity === config.identity
      external.set(config.name, isSame ? known : make.external(config))
    }
    const kept = new Set([...defined.values(), ...external.values()])
    const before = [...this.#defined.values(), ...this.#external.values()]
    const gone = before.filter((each) => !kept.has(each))
    this.#defined = defined
    this.#external = external
    this.#policies = policies
    this.#change()
    return gone
  }

  isBuiltIn(name: string): boolean {
    return this.#current.server(name) !== undefined && !this.#external.has(name)
  }

  #change(): void {
    const servers = [this.#builtIn, this.#defined, this.#external].flatMap((each) => [
      ...each.values(),
    ])
    this.#current = new Configuration(this.#current.generation + 1, servers, this.#policies)
  }
}

function duplicate(name: string): TypeError {
  return new TypeError(`There is a server called "${name}" already; each needs a name of its own`)
}
