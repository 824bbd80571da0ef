import type { ListKind } from '@mobius-mcp/protocol'
import type { CallEvent } from './options.ts'
import type { Pool } from './pool.ts'
import type { Registry } from './registry.ts'
import type { ServerState } from './server-state.ts'

interface Counts {
  calls: number
  errors: number
  offers: Partial<Record<ListKind, number>>
}

/** Keeps count of what goes on with each server, and tells when a state changes. */
export class StateBook {
  readonly #registry: Registry
  readonly #pool: Pool
  readonly #counts = new Map<string, Counts>()
  readonly #listeners = new Set<(server: string) => void>()

  constructor(registry: Registry, pool: Pool) {
    this.#registry = registry
    this.#pool = pool
  }

  list(): ServerState[] {
    const inFlight = this.#pool.callsInFlight()
    return this.#registry.current.servers.map((server) => {
      const supervisor = this.#pool.supervisor(server)
      const { calls, errors, offers } = this.#of(server.name)
      return {
        name: server.name,
        kind: this.#registry.isBuiltIn(server.name) ? 'built-in' : 'external',
        state: server.disabled ? 'disabled' : supervisor.condition,
        reason: server.disabled ? undefined : supervisor.reason,
        since: supervisor.since,
        sharing: server.sharing,
        connections: supervisor.connections,
        inFlight: inFlight.get(server.name) ?? 0,
        restarts: supervisor.restarts,
        calls,
        errors,
        offers,
      }
    })
  }

  watch(listener: (server: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tells the listeners; the empty name stands for the whole list. */
  changed(server: string): void {
    for (const listener of this.#listeners) listener(server)
  }

  count(event: CallEvent): void {
    if (!this.#registry.current.server(event.server)) return
    const counts = this.#of(event.server)
    counts.calls += 1
    if (event.outcome === 'error') counts.errors += 1
  }

  offers(server: string, kind: ListKind, count: number): void {
    this.#of(server).offers[kind] = count
  }

  #of(server: string): Counts {
    let counts = this.#counts.get(server)
    if (!counts) {
      counts = { calls: 0, errors: 0, offers: {} }
      this.#counts.set(server, counts)
    }
    return counts
  }
}
