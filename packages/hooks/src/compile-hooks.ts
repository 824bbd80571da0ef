import { type Clock, systemClock } from '@mobius-mcp/protocol'
import { CompiledChain } from './compiled-chain.ts'
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

class CompiledHooks implements Hooks {
  readonly #hooks: readonly CompiledHook[]
  readonly #clock: Clock
  readonly #chains = {
    request: new Map<string, Map<string, HookChain>>(),
    response: new Map<string, Map<string, HookChain>>(),
  }
  #kept = 0

  constructor(hooks: readonly CompiledHook[], clock: Clock) {
    this.#hooks = hooks
    this.#clock = clock
  }

  for(server: string, method: string, direction: HookDirection): HookChain {
    const known = this.#chains[direction].get(method)?.get(server)
    return known ?? this.#compile(server, method, direction)
  }

  #compile(server: string, method: string, direction: HookDirection): HookChain {
    const hooks = this.#hooks.filter((hook) => hook.covers(server, method, direction))
    const place = { server, method, direction }
    const chain = hooks.length === 0 ? emptyChain : new CompiledChain(hooks, place, this.#clock)
    if (this.#kept < keptChains) {
      this.#kept += 1
      const chains = this.#chains[direction]
      const ofMethod = chains.get(method) ?? new Map<string, HookChain>()
      ofMethod.set(server, chain)
      chains.set(method, ofMethod)
    }
    return chain
  }
}
