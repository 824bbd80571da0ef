/** What may be in one `LinkedSet`. The links belong to the set. */
export interface Linked<T> {
  previous: T | undefined
  next: T | undefined
}

/**
 * A set whose members hold their places themselves, the newest first. Adding and deleting are a few
 * assignments and allocate nothing, where a `Set` hashes, grows and shrinks: for what comes and goes
 * with every call. A member may be in one such set only.
 */
export class LinkedSet<T extends Linked<T>> implements Iterable<T> {
  #first: T | undefined
  #size = 0

  /** The newest member; the others follow by `next`. */
  get first(): T | undefined {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  /** Adds what is not in yet. */
  add(member: T): void {
    const first = this.#first
    member.previous = undefined
    member.next = first
    if (first) first.previous = member
    this.#first = member
    this.#size += 1
  }

  /** Takes a member out; does nothing when it is not in. */
  delete(member: T): void {
    const { previous, next } = member
    if (previous) previous.next = next
    else if (this.#first === member) this.#first = next
    else return
    if (next) next.previous = previous
    member.previous = undefined
    member.next = undefined
    this.#size -= 1
  }

  clear(): void {
    this.#first = undefined
    this.#size = 0
  }

  /** The newest first. The member at hand may be deleted meanwhile; for other changes, take a copy. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    let member = this.#first
    while (member) {
      const { next } = member
      yield member
      member = next
    }
  }
}
