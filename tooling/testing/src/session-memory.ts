import type { SessionMemory } from '@mobius-mcp/protocol'

/** What a session remembers in several processes, one after the other. */
export function createSessionMemory(): SessionMemory {
  const values = new Map<string, unknown>()
  return {
    recall: (name) => values.get(name),
    remember: (name, value) => void values.set(name, structuredClone(value)),
  }
}
