import type { Configuration } from '@mobius-mcp/config'
import { compileHooks, type MatchIf } from '@mobius-mcp/hooks'
import { compileRuleMatcher, compileRules } from '@mobius-mcp/permissions'
import { isObject } from '@mobius-mcp/protocol'
import type { Snapshot } from '@mobius-mcp/tools-service'

/** What the tools service goes by; without a configuration the built-in servers and the default rules. */
export function toSnapshot(configuration: Configuration | undefined): Snapshot {
  if (!configuration) return { servers: [], authorize: compileRules({}) }
  const { servers, hooks, permissions, log } = configuration
  return {
    servers,
    hooks: compileHooks(hooks, { matchIf }),
    authorize: compileRules({
      allow: permissions.allow.map(textOf),
      ask: permissions.ask.map(textOf),
      deny: permissions.deny.map(textOf),
    }),
    hookTrace: log.hookTrace,
  }
}

/** A hook's `if` is a rule's text: `github/delete_*(path=/etc/**)`. */
const matchIf: MatchIf = (text) => {
  const matches = compileRuleMatcher(text)
  return ({ server, method, name, message }) => {
    const { params } = message as { readonly params?: unknown }
    return matches({ server, method, name, params: isObject(params) ? params : {} })
  }
}

function textOf({ text }: { readonly text: string }): string {
  return text
}
