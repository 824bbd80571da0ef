import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/**
 * Every event of one session, in order. The SDK's own example sorts by time and a random suffix,
 * which shuffles what was sent within a millisecond.
 */
export function createEventStore(): EventStore {
  const events: { streamId: string; message: JSONRPCMessage }[] = []
  return {
    storeEvent(streamId, message) {
      return Promise.resolve(String(events.push({ streamId, message }) - 1))
    },
    getStreamIdForEventId(eventId) {
      return Promise.resolve(events[Number(eventId)]?.streamId)
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events[Number(lastEventId)]?.streamId ?? ''
      for (const [index, event] of events.entries()) {
        // A priming event is stored as an empty message: there is nothing to replay.
        const isMissed = index > Number(lastEventId) && event.streamId === streamId
        if (isMissed && Object.keys(event.message).length > 0) {
          await send(String(index), event.message)
        }
      }
      return streamId
    },
  }
}
