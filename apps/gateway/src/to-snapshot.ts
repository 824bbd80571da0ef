import type { Configuration } from '@mobius-mcp/config'
import { compileHooks, type MatchIf } from '@mobius-mcp/hooks'
import { compileRuleMatcher, compileRules } from '@mobius-mcp/permissions'
import { isObject } from '@mobius-mcp/protocol'
import type { Snapshot } from '@mobius-mcp/tools-service'

/** A configuration as the tools service goes by it. */
export function toSnapshot({ servers, hooks, permissions, log }: Configuration): Snapshot {
  return {
    servers,
    hooks: compileHooks(hooks, { matchIf }),
    authorize: compileRules({
      allow: permissions.allow.map(textOf),
      ask: permissions.ask.map(textOf),
      deny: permissions.deny.map(textOf),
    }),
    hookTrace: { text: log.hookTrace },
  }
}

/** A hook's `if` is a rule's text: `github/delete_*(path: /etc/*)`. */
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
