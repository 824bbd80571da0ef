import type { JsonObject, Origin } from '@mobius-mcp/protocol'
import type { CallLike } from '../../src/index.ts'

export const client: Origin = { kind: 'client', name: 'editor' }
export const agent: Origin = { kind: 'agent', name: 'coder', cause: client }

/** A call as text: `server/tool` for a tool; `server method name` for anything else. */
export function callOf(text: string, args: JsonObject = {}, origin: Origin = client): CallLike {
  const [server = '', method, name = ''] = text.split(' ')
  if (method !== undefined) return { server, method, name, params: args, origin }
  const slash = text.lastIndexOf('/')
  const tool = text.slice(slash + 1)
  return toolCall(text.slice(0, slash), tool, args, origin)
}

export function toolCall(
  server: string,
  tool: string,
  args: JsonObject = {},
  origin: Origin = client,
): CallLike {
  const params = { name: tool, arguments: args }
  return { server, method: 'tools/call', name: tool, params, origin }
}
