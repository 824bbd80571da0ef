import { type Clock, systemClock } from '@mobius-mcp/protocol'
import { type ChainPlace, CompiledChain } from './compiled-chain.ts'
import { type CompiledHook, compileHook, wrong } from './compiled-hook.ts'
import type { HookChain, Hooks, MatchIf } from './hook-chain.ts'
import type { HookDefinition, HookDirection } from './hook-definition.ts'
import { emptyChain, noHooks } from './no-hooks.ts'

export interface CompileOptions {
  /** For timeouts and durations; the machine's by default. */
  readonly clock?: Clock | undefined
  /** Reads what stands in a hook's `if`. */
  readonly matchIf?: MatchIf | undefined
}

/**
 * Makes hooks ready for use. Those that change run by priority, then in the order given; those that
 * only look run side by side on what became of the message.
 *
 * @throws TypeError naming the hook and what is wrong with it.
 */
export function compileHooks(
  definitions: readonly HookDefinition[],
  { clock = systemClock, matchIf }: CompileOptions = {},
): Hooks {
  const ids = new Set<string>()
  for (const { id } of definitions) {
    if (ids.has(id)) throw wrong(id, 'there is another one with this id')
    ids.add(id)
  }
  const compiled = definitions
    .map((definition) => ({ definition, hook: compileHook(definition, matchIf) }))
    .filter(({ definition }) => definition.enabled !== false)
    .map(({ hook }) => hook)
  return compiled.length === 0 ? noHooks : new CompiledHooks(compiled, clock)
}

/** Methods are a client's to choose: chains of more kinds than this are made anew each time. */
const keptChains = 4096

/** Both chains of one kind of message. */
interface Chains {
  readonly server: string
  readonly method: string
  readonly request: HookChain
  readonly response: HookChain
}

class CompiledHooks implements Hooks {
  readonly clock: Clock
  readonly #hooks: readonly CompiledHook[]
  readonly #chains = new Map<string, Map<string, Chains>>()
  #kept = 0
  /** A call and what its hook calls alternate, so the last two are at hand. */
  #last: Chains | undefined
  #lastButOne: Chains | undefined

  constructor(hooks: readonly CompiledHook[], clock: Clock) {
    this.#hooks = hooks
    this.clock = clock
  }

  for(server: string, method: string, direction: HookDirection): HookChain {
    const last = this.#last
    if (last?.server === server && last.method === method) return last[direction]
    const other = this.#lastButOne
    if (other?.server === server && other.method === method) return other[direction]
    const chains = this.#chains.get(server)?.get(method) ?? this.#compile(server, method)
    this.#lastButOne = last
    this.#last = chains
    return chains[direction]
  }

  #compile(server: string, method: string): Chains {
    const chains = {
      server,
      method,
      request: this.#chain({ server, method, direction: 'request' }),
      response: this.#chain({ server, method, direction: 'response' }),
    }
    if (this.#kept < keptChains) {
      this.#kept += 1
      const ofServer = this.#chains.get(server) ?? new Map<string, Chains>()
      ofServer.set(method, chains)
      this.#chains.set(server, ofServer)
    }
    return chains
  }

  #chain(place: ChainPlace): HookChain {
    const { server, method, direction } = place
    const hooks = this.#hooks.filter((hook) => hook.covers(server, method, direction))
    return hooks.length === 0 ? emptyChain : new CompiledChain(hooks, place, this.clock)
  }
}
