const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves with the first signal to stop; the second one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stopping = false
    for (const signal of signals) {
      process.on(signal, () => {
        // Children are killed on exit, by whoever started them.
        if (stopping) process.exit(1)
        stopping = true
        resolve(signal)
      })
    }
  })
}

/** Aborted by the first signal to stop. */
export function signalOfStop(): AbortSignal {
  const controller = new AbortController()
  void untilSignal().then((signal) => controller.abort(signal))
  return controller.signal
}
