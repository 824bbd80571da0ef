import type { Configuration } from '@mobius-mcp/config'
import type { View } from '@mobius-mcp/tools-service'

/** What clients see: what the configuration says, else its servers and the built-in ones for clients. */
export function toView(configuration: Configuration | undefined, builtIn: readonly string[]): View {
  if (!configuration) return { refs: builtIn }
  const { refs, implied, describe } = configuration.publish
  return { refs: implied ? [...builtIn, ...refs] : refs, describe }
}
