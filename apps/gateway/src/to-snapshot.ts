import type { Configuration, HookSettings } from '@mobius-mcp/config'
import { promptServerName } from '@mobius-mcp/config'
import { compileHooks, type Hooks, isMessagePoint, type MatchIf } from '@mobius-mcp/hooks'
import { compileRuleMatcher } from '@mobius-mcp/permissions'
import { isObject } from '@mobius-mcp/protocol'
import type { Snapshot } from '@mobius-mcp/tools-service'
import { compilePermissions } from './compile-permissions.ts'
import { defaultAgentsOf } from './default-agent.ts'
import { createOnlyReads } from './only-reads.ts'

/** A configuration as the tools service goes by it, but for the servers that this process has itself. */
export function toSnapshot(configuration: Configuration): Snapshot {
  const { servers, agents, hooks, log } = configuration
  const names = [...defaultAgentsOf(configuration), ...agents.map(({ name }) => name)]
  return {
    servers,
    hooks: compile(hooks.filter(({ point }) => isMessagePoint(point))),
    authorize: compilePermissions(configuration, createOnlyReads(names, promptServerName)),
    hookTrace: { text: log.hookTrace },
  }
}

/** The hooks that look at the turns of agents. */
export function toTurnHooks({ hooks }: Pick<Configuration, 'hooks'>): Hooks {
  return compile(hooks.filter(({ point }) => !isMessagePoint(point)))
}

function compile(hooks: readonly HookSettings[]): Hooks {
  return compileHooks(hooks, { matchIf })
}

/** A hook's `if` is a rule's text: `github/delete_*(path: /etc/*)`. */
const matchIf: MatchIf = (text) => {
  const matches = compileRuleMatcher(text)
  return ({ server, method, name, message }) => {
    const { params } = message as { readonly params?: unknown }
    return matches({ server, method, name, params: isObject(params) ? params : {} })
  }
}
