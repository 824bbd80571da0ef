/**
 * Requests that use nothing: they ask what is there, or whether anybody is. Only a rule that names
 * the method is about them. Whatever is not here, also what nobody knows yet, is a use.
 */
const metadata: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'logging/setLevel',
])

/** True for a request that uses something, so that it needs to be allowed. */
export function isUse(method: string): boolean {
  return !metadata.has(method)
}
