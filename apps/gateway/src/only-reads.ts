import type { OnlyReads } from '@mobius-mcp/permissions'

/** `server/tool` of built-in tools that only read, and reach nothing outside. */
export const readingTools: readonly string[] = ['meta/list_servers']

export interface OnlyReadsOptions {
  /** Built-in servers that are no agents. */
  readonly builtIn: readonly string[]
  isAgent(server: string): boolean
}

/**
 * What agents and their like need no rule for. Of a built-in server: its resources, prompts and the tools
 * that only read. Of another agent: all, for what that one does is looked at in its turn.
 */
export function createOnlyReads({ builtIn, isAgent }: OnlyReadsOptions): OnlyReads {
  const servers = new Set(builtIn)
  const tools = new Set(readingTools)
  return ({ server, method, name }) => {
    if (isAgent(server)) return true
    if (!servers.has(server)) return false
    return method === 'tools/call' ? tools.has(`${server}/${name}`) : reading.has(method)
  }
}

const reading: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/get',
  'completion/complete',
])
