import type { AgentSettings, Configuration, PermissionSettings } from '@mobius-mcp/config'
import { compileRules, type OnlyReads, type RuleLists, type Rules } from '@mobius-mcp/permissions'
import type { Origin } from '@mobius-mcp/protocol'
import { samplingServerName } from './sampling-server.ts'

/**
 * Compiles the rules of a configuration, where a server that asks a model needs an approval unless a rule
 * says otherwise: it spends somebody's money, and what it is told goes elsewhere.
 */
export function compilePermissions(
  configuration: Pick<Configuration, 'permissions' | 'agents'>,
  onlyReads: OnlyReads,
): Rules {
  const forAll = compileRulesOf(configuration, onlyReads)
  const forSampling = compileRules({
    ...toLists([configuration.permissions]),
    defaults: {
      client: 'ask',
      hook: 'ask',
      agent: 'ask',
      workflow: 'ask',
      task: 'ask',
      script: 'ask',
    },
  })
  return (call) => (call.server === samplingServerName ? forSampling(call) : forAll(call))
}

/**
 * Compiles the rules of a configuration: those for everybody, and for what an agent does its own beside
 * them. What an agent may, its own rules say; what is asked about or denied for it holds also for what
 * those do that it calls.
 */
function compileRulesOf(
  { permissions, agents }: Pick<Configuration, 'permissions' | 'agents'>,
  onlyReads: OnlyReads,
): Rules {
  const forAll = compileRules(toLists([permissions]), { onlyReads })
  const own = new Map(agents.filter(hasRules).map(({ name, permissions: its }) => [name, its]))
  if (own.size === 0) return forAll
  const compiled = new Map<string, Rules>()
  return (call) => {
    if (call.origin.kind === 'client') return forAll(call)
    const chain = agentsIn(call.origin)
    if (!chain.some((name) => own.has(name))) return forAll(call)
    const key = chain.join('\n')
    let rules = compiled.get(key)
    if (!rules) {
      const [actor, ...senders] = chain.map((name) => own.get(name) ?? noRules)
      const limits = senders.map((sender) => ({ ...sender, allow: [] }))
      rules = compileRules(toLists([permissions, actor ?? noRules, ...limits]), { onlyReads })
      compiled.set(key, rules)
    }
    return rules(call)
  }
}

const noRules: PermissionSettings = { allow: [], ask: [], deny: [] }

function hasRules({ permissions: { allow, ask, deny } }: AgentSettings): boolean {
  return allow.length + ask.length + deny.length > 0
}

/** Who acts, and who sent them, the actor first. A hook acts for whoever configured it. */
function agentsIn(origin: Origin): string[] {
  const names: string[] = []
  for (let each: Origin | undefined = origin; each && each.kind !== 'hook'; each = each.cause) {
    if (each.kind === 'agent' && each.name !== undefined) names.push(each.name)
  }
  return names
}

function toLists(settings: readonly PermissionSettings[]): RuleLists {
  const textsOf = (list: keyof PermissionSettings) =>
    settings.flatMap((each) => each[list].map(({ text }) => text))
  return { allow: textsOf('allow'), ask: textsOf('ask'), deny: textsOf('deny') }
}
