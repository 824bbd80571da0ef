import type { OnlyReads } from '@mobius-mcp/permissions'

/** `server/tool` of the built-in tools that only read, and reach nothing outside. */
export const readingTools: readonly string[] = ['meta/list_servers']

/**
 * What agents and their like need no rule for: such tools, prompts of the configuration itself, and other
 * agents, for what those do is looked at in its turn.
 */
export function createOnlyReads(agents: readonly string[], prompts: string): OnlyReads {
  const others = new Set(agents)
  const tools = new Set(readingTools)
  return ({ server, method, name }) => {
    if (others.has(server)) return true
    if (method === 'tools/call') return tools.has(`${server}/${name}`)
    return server === prompts && method === 'prompts/get'
  }
}
