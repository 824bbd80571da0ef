import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

type StoredMessage = Parameters<EventStore['storeEvent']>[1]

/** Keeps every event for as long as the process lives, in the order it was sent. */
export function createEventStore(): EventStore {
  const events: { stream: string; message: StoredMessage }[] = []
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message })
      return String(events.length)
    },
    async replayEventsAfter(lastEventId, { send }) {
      const stream = events[Number(lastEventId) - 1]?.stream ?? ''
      for (let id = Number(lastEventId) + 1; id <= events.length; id += 1) {
        const event = events[id - 1]
        // A primer is stored as an empty object; it is no message.
        if (event?.stream === stream && 'jsonrpc' in event.message) {
          await send(String(id), event.message)
        }
      }
      return stream
    },
  }
}
