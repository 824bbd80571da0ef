import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** What a message is about: a tool's or prompt's name, a resource's URI; empty where it is about neither. */
export function subjectOf(params: JsonObject): string {
  const { name, uri, ref } = params
  if (typeof name === 'string') return name
  if (typeof uri === 'string') return uri
  // Completion names a prompt or a template.
  return isObject(ref) ? subjectOf({ name: ref.name, uri: ref.uri }) : ''
}
