import type { ExternalServer } from './options.ts'
import type { Server } from './server.ts'

/** The servers by name: built-in ones in the order they were added, then the configuration's. */
export class Registry {
  readonly #builtIn = new Map<string, Server>()
  #external = new Map<string, Server>()
  #list: readonly Server[] | undefined
  #generation = 0

  /** Grows with every change. */
  get generation(): number {
    return this.#generation
  }

  addBuiltIn(server: Server): void {
    if (this.get(server.name)) throw duplicate(server.name)
    this.#builtIn.set(server.name, server)
    this.#changed()
  }

  /** Replaces the configured servers, keeping those that did not change. Returns the names that are gone or changed. */
  apply(configs: readonly ExternalServer[], create: (config: ExternalServer) => Server): string[] {
    const next = new Map<string, Server>()
    for (const config of configs) {
      if (this.#builtIn.has(config.name) || next.has(config.name)) throw duplicate(config.name)
      const known = this.#external.get(config.name)
      next.set(config.name, known?.identity === config.identity ? known : create(config))
    }
    const gone = [...this.#external].filter(([name, server]) => next.get(name) !== server)
    this.#external = next
    this.#changed()
    return gone.map(([name]) => name)
  }

  get(name: string): Server | undefined {
    return this.#builtIn.get(name) ?? this.#external.get(name)
  }

  isBuiltIn(name: string): boolean {
    return this.#builtIn.has(name)
  }

  list(): readonly Server[] {
    this.#list ??= [...this.#builtIn.values(), ...this.#external.values()]
    return this.#list
  }

  #changed(): void {
    this.#generation += 1
    this.#list = undefined
  }
}

function duplicate(name: string): TypeError {
  return new TypeError(`There is a server called "${name}" already; each needs a name of its own`)
}
