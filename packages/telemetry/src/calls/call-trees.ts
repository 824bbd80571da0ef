import type { CallEvent } from '../call-event.ts'

/** Gathers calls, which end before those that made them, to whole trees. */
export interface CallTrees {
  /** Takes a call, and gives what is complete with it: a tree, its root last, or nothing yet. */
  add(event: CallEvent): CallEvent[]
  /** Whatever still waits for its root. */
  rest(): CallEvent[]
}

export interface CallTreesOptions {
  /** So many calls wait for their roots; beyond that the oldest are given without. 10,000 by default. */
  readonly max?: number | undefined
}

export function createCallTrees({ max = 10_000 }: CallTreesOptions = {}): CallTrees {
  const waiting = new Map<string, CallEvent[]>()
  let count = 0
  const take = (parent: string): CallEvent[] => {
    const children = waiting.get(parent) ?? []
    waiting.delete(parent)
    count -= children.length
    // One by one: a chain may be long, and was chosen elsewhere.
    const found = [...children]
    for (const { id } of children) found.push(...take(id))
    return found
  }
  const evict = (): CallEvent[] => {
    const [oldest] = waiting.keys()
    return oldest === undefined || count <= max ? [] : take(oldest)
  }
  return {
    add(event) {
      if (isRoot(event)) return [...take(event.id), event]
      const parent = event.parent ?? ''
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
export function isRoot({ parent, depth }: CallEvent): boolean {
  return parent === undefined || depth <= 0
}
