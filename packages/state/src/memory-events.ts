import type { ChannelEnd, Events, StreamEvent } from './events.ts'

/** Makes a store of events that forgets with the process. */
export function createMemoryEvents(): Events {
  const scopes = new Map<string, Map<string, StreamEvent>>()
  const inOrder = (scope: string) =>
    [...(scopes.get(scope)?.values() ?? [])].sort(
      (a, b) => a.channel - b.channel || a.sequence - b.sequence,
    )
  return {
    async append(events) {
      for (const event of events) {
        const kept = scopes.get(event.scope) ?? new Map<string, StreamEvent>()
        scopes.set(event.scope, kept)
        const key = `${event.channel}-${event.sequence}`
        if (!kept.has(key)) kept.set(key, event)
      }
    },
    async after(scope, channel, sequence, limit = 1000) {
      return inOrder(scope)
        .filter((event) => event.channel === channel && event.sequence > sequence)
        .slice(0, limit)
    },
    async channels(scope) {
      const ends = new Map<number, ChannelEnd>()
      for (const { channel, sequence, final } of inOrder(scope)) {
        const ended = final || ends.get(channel)?.ended === true
        ends.set(channel, { channel, last: sequence, ended })
      }
      return [...ends.values()]
    },
    async trim({ before, max }) {
      for (const [scope, kept] of scopes) {
        for (const [key, { at }] of kept) if (at < before) kept.delete(key)
        // A Map keeps the order in which they were said.
        const surplus = kept.size - max
        const plain = [...kept].filter(([, { final }]) => !final)
        const answers = [...kept].filter(([, { final }]) => final)
        for (const [key] of [...plain, ...answers].slice(0, Math.max(0, surplus))) kept.delete(key)
        if (kept.size === 0) scopes.delete(scope)
      }
    },
    async delete(scope) {
      scopes.delete(scope)
    },
  }
}
