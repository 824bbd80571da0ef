/** Named points that a call can wait for and another can let pass. */
export interface Latches {
  /** Lets everyone pass who waits for a name, now and later. */
  open(name: string): void
  /** Resolves once the name has been opened. */
  opened(name: string): Promise<void>
}

/** Latches that are all closed. */
export function createLatches(): Latches {
  const latches = new Map<string, PromiseWithResolvers<void>>()
  const latch = (name: string): PromiseWithResolvers<void> => {
    const found = latches.get(name) ?? Promise.withResolvers<void>()
    latches.set(name, found)
    return found
  }
  return {
    open: (name) => latch(name).resolve(),
    opened: (name) => latch(name).promise,
  }
}
