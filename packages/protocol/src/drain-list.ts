import type { ListKind } from './call.ts'
import type { JsonObject } from './message.ts'
import { isObject } from './parse-message.ts'
import type { RequestOptions, Session } from './session.ts'

/** How one kind of thing is listed. */
export interface ListMethod {
  readonly method: string
  /** The member of the result that holds the items. */
  readonly member: string
  /** The member of an item that names it. */
  readonly name: string
  /** The server capability that goes with it. */
  readonly capability: string
  /** What a server says when the list changed. */
  readonly changed: string
}

/** How each kind is listed. MCP 2025-11-25, server features. */
export const listMethods: Readonly<Record<ListKind, ListMethod>> = {
  tools: {
    method: 'tools/list',
    member: 'tools',
    name: 'name',
    capability: 'tools',
    changed: 'notifications/tools/list_changed',
  },
  prompts: {
    method: 'prompts/list',
    member: 'prompts',
    name: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
  resources: {
    method: 'resources/list',
    member: 'resources',
    name: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  resourceTemplates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    name: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
}

export interface DrainOptions extends RequestOptions {
  /** More pages than this are not read; 64 by default. */
  maxPages?: number | undefined
  /** Told when the list was cut short, and why. */
  onWarning?: ((warning: string) => void) | undefined
}

/**
 * Reads a whole list, page by page. It stops, with a warning, at a cursor that was there before and
 * at the cap; entries that are no objects or have no name are left out, the others stay as they came.
 */
export async function drainList(
  session: Session,
  kind: ListKind,
  options: DrainOptions = {},
): Promise<JsonObject[]> {
  const { maxPages = 64, onWarning, ...request } = options
  const { method, member, name } = listMethods[kind]
  const items: JsonObject[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const result = await session.request(method, cursor === undefined ? {} : { cursor }, request)
    addNamed(items, result[member], name)
    const next = result.nextCursor
    // Some servers say with an empty cursor that there is no more.
    if (typeof next !== 'string' || next === '') return items
    if (seen.has(next)) {
      onWarning?.(`${method} answered the cursor ${JSON.stringify(next)} twice; stopped there`)
      return items
    }
    seen.add(next)
    cursor = next
  }
  onWarning?.(`${method} has more than ${maxPages} pages; the rest was not read`)
  return items
}

function addNamed(items: JsonObject[], found: unknown, name: string): void {
  for (const item of Array.isArray(found) ? found : []) {
    if (isObject(item) && typeof item[name] === 'string') items.push(item)
  }
}
