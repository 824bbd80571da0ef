import type { JsonObject } from '@mobius-mcp/protocol'
import type { PlacedItem } from './items.ts'
import type { LiveThread } from './live-thread.ts'
import { toSpilledText } from './spill.ts'

/** The type of an item of a thread, as JSON. */
export const itemType = 'application/vnd.mobius.chat.item+json'

/** Where an item of a thread can be read. */
export function spillUri(thread: string, sequence: number): string {
  return `chat://threads/${thread}/items/${sequence}`
}

/** A resource of a thread for its own agent, who needs nobody's leave; `undefined` where it is none. */
export function readOwnResource(thread: LiveThread, uri: string): JsonObject | undefined {
  const prefix = `chat://threads/${thread.id}/items/`
  if (!uri.startsWith(prefix)) return undefined
  const sequence = Number(uri.slice(prefix.length))
  const item = thread.log.items.find((each) => each.sequence === sequence)
  return item && { contents: [itemContent(item, uri)] }
}

/** An item as a resource: of a result that was too large, all of it; of any other, the item itself. */
export function itemContent(item: PlacedItem, uri: string): JsonObject {
  const { id, sequence, at, value } = item
  if (value.type === 'spill')
    return { uri, mimeType: 'text/plain', text: toSpilledText(value.result) }
  const text = JSON.stringify({ id, sequence, at, ...value }, hideReplay)
  return { uri, mimeType: itemType, text }
}

/** What goes back to a provider is between it and us. */
function hideReplay(key: string, value: unknown): unknown {
  return key === 'replay' ? undefined : value
}
