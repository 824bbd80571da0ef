// The process is one for all, and so are its listeners: one of them, however many children.
const kills = new Set<() => void>()

function killAll(): void {
  for (const kill of kills) kill()
}

/** Calls `kill` when this process exits, unless the returned function was called before. */
export function killOnExit(kill: () => void): () => void {
  if (kills.size === 0) process.on('exit', killAll)
  kills.add(kill)
  return () => {
    if (kills.delete(kill) && kills.size === 0) process.off('exit', killAll)
  }
}
