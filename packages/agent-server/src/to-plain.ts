/** A value as it will be when it has been written down: without `undefined`, and nobody else's. */
export function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
