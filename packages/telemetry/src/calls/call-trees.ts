import type { CallEvent } from '../call-event.ts'

/** Gathers calls, which end before those that made them, to whole trees. */
export interface CallTrees {
  /** Takes a call, and gives what is complete with it: a tree, its root last, or nothing yet. */
  add(event: CallEvent): CallEvent[]
  /** Whatever still waits for its root. */
  rest(): CallEvent[]
}

/** How much is remembered. */
export interface CallTreesOptions {
  /** So many calls wait for their roots; beyond that the oldest are given without. 1,000 by default. */
  readonly max?: number | undefined
}

/** Makes what gathers calls to trees, within bounds. */
export function createCallTrees({ max = 1000 }: CallTreesOptions = {}): CallTrees {
  const waiting = new Map<string, CallEvent[]>()
  let count = 0
  const take = (parent: string): CallEvent[] => {
    const found: CallEvent[] = []
    const parents = [parent]
    // A list of parents, not a function that calls itself: a chain may be long.
    for (let next = parents.pop(); next !== undefined; next = parents.pop()) {
      const children = waiting.get(next) ?? []
      waiting.delete(next)
      for (const child of children) {
        found.push(child)
        parents.push(child.id)
      }
    }
    count -= found.length
    return found
  }
  // Whoever gave up waiting for a call has ended before it.
  const given = new Set<string>()
  const give = (events: CallEvent[]): CallEvent[] => {
    for (const { id } of events) given.add(id)
    for (const id of given) {
      if (given.size <= max) break
      given.delete(id)
    }
    return events
  }
  const evict = (): CallEvent[] => {
    if (count <= max) return []
    const [oldest = ''] = waiting.keys()
    return give(take(oldest))
  }
  return {
    add(event) {
      const { id, parent = '' } = event
      if (isRoot(event) || given.has(parent)) return give([...take(id), event])
      const siblings = waiting.get(parent)
      if (siblings) siblings.push(event)
      else waiting.set(parent, [event])
      count += 1
      return evict()
    },
    rest() {
      const all = [...waiting.values()].flat()
      waiting.clear()
      count = 0
      return all
    },
  }
}

/** True for a call that no other one made. */
function isRoot({ parent, depth }: CallEvent): boolean {
  return parent === undefined || depth <= 0
}
