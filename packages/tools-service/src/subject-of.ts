import type { JsonObject } from '@mobius-mcp/protocol'

/** What a request is about: a tool's or prompt's name, a resource's URI; empty where it is about neither. */
export function subjectOf(params: JsonObject): string {
  const { name, uri } = params
  if (typeof name === 'string') return name
  return typeof uri === 'string' ? uri : ''
}
