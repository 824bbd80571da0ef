/** Without prototype, so that any name may be looked up. */
export function toRecord<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), entries)
}

/** Freezes a value all the way down. */
export function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member)
  }
  return Object.freeze(value)
}
