import type { Target } from '@mobius-mcp/protocol'

/** A target as a list of hooks names it. */
export interface HookTarget {
  readonly target: Target
  /** False for `!mutate:`. */
  readonly mutate: boolean
}

const observing = '!mutate:'

/**
 * Reads a hook's target: `server/tool`, with `!mutate:` before what may look and refuse but not
 * change. A name alone is an agent's. Where a server's name holds a slash itself, `servers` tells.
 *
 * @throws TypeError saying what is wrong with it.
 */
export function parseHookTarget(text: string, servers: readonly string[] = []): HookTarget {
  const mutate = !text.startsWith(observing)
  const named = mutate ? text : text.slice(observing.length)
  const wrong = (reason: string) =>
    new TypeError(`Invalid hook target ${JSON.stringify(text)}: ${reason}`)
  if (named.startsWith('!')) throw wrong('only "!mutate:" may stand before server/tool')
  if (named.trim() !== named || named === '') throw wrong('expected server/tool, e.g. policy/check')
  if (named.includes('*')) throw wrong('a hook calls one tool, so "*" may not stand in it')
  const server = serverIn(named, servers)
  const tool = server === named ? `chat-with-${server}` : named.slice(server.length + 1)
  if (server === '' || tool === '') throw wrong('expected server/tool, e.g. policy/check')
  return { target: { server, tool }, mutate }
}

function serverIn(named: string, servers: readonly string[]): string {
  const fitting = servers.filter((name) => named === name || named.startsWith(`${name}/`))
  const longest = fitting.toSorted((left, right) => right.length - left.length)[0]
  return longest ?? named.split('/', 1)[0] ?? ''
}
