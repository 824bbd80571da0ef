import type { CallEvent } from '../call-event.ts'

/** The upper bounds of the durations' buckets, in seconds. */
export const bounds: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** How long the calls of one method of one server took. */
interface Durations {
  /** How many fell into each bucket; one more than there are bounds. */
  readonly buckets: number[]
  count: number
  seconds: number
}

/** What was counted for one method of one server. */
export interface MethodTally {
  readonly durations: Durations
  /** By tool, empty for what is none; then by outcome. */
  readonly tools: Map<string, Map<string, number>>
}

/** Where what is over a bound is counted. */
export const others = '_other'

/** What keeps the number of counters bounded. */
export interface CallTallyOptions {
  /** So many tools of a server are counted one by one. */
  readonly maxTools: number
  /** False for a name that is no server's: callers may call what they like. */
  isServer(name: string): boolean
}

const maxServers = 1000
const maxMethods = 50

/**
 * Counts calls. It stands on the path of every call, so it does no more than count: names are looked
 * up, and what Prometheus wants is made when it asks.
 */
export class CallTally {
  readonly servers: Map<string, Map<string, MethodTally>> = new Map()
  readonly #options: CallTallyOptions

  constructor(options: CallTallyOptions) {
    this.#options = options
  }

  add({ server, method, name, outcome, milliseconds }: CallEvent): void {
    const tally = this.#method(this.#server(server), method)
    addDuration(tally.durations, milliseconds / 1000)
    const outcomes = this.#tool(tally, method === 'tools/call' ? name : '')
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  #server(name: string): Map<string, MethodTally> {
    const known = this.servers.get(name)
    if (known) return known
    const counted = this.servers.size < maxServers && this.#options.isServer(name)
    return getOrMake(this.servers, counted ? name : others, () => new Map())
  }

  #method(methods: Map<string, MethodTally>, method: string): MethodTally {
    const known = methods.get(method)
    if (known) return known
    const counted = methods.size < maxMethods ? method : others
    return getOrMake(methods, counted, () => ({ durations: noDurations(), tools: new Map() }))
  }

  #tool({ tools }: MethodTally, name: string): Map<string, number> {
    const known = tools.get(name)
    if (known) return known
    const counted = tools.size < this.#options.maxTools ? name : others
    return getOrMake(tools, counted, () => new Map())
  }
}

function addDuration(durations: Durations, seconds: number): void {
  let index = 0
  while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1
  durations.buckets[index] = (durations.buckets[index] ?? 0) + 1
  durations.count += 1
  durations.seconds += seconds
}

function noDurations(): Durations {
  return { buckets: new Array<number>(bounds.length + 1).fill(0), count: 0, seconds: 0 }
}

function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
