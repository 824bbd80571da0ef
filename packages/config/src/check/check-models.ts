import {
  type ModelNames,
  modelVendors,
  providerOf,
  resolveModelName,
  standingAliases,
} from '../model-names.ts'
import { nearest } from '../nearest.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'
import type { Environment } from '../values/value-sources.ts'
import { itemsOf } from './items-of.ts'

interface Context {
  readonly findings: Findings
  readonly env: Environment
  readonly names: ModelNames
  /** By their names. */
  readonly providers: ReadonlyMap<string, SourceNode>
  /** Vendors of which was told that they lack a key. */
  readonly told: Set<string>
}

/**
 * Finds names of models behind which there is none, and providers that cannot be reached: a slip would
 * only be told when somebody chats.
 */
export function checkModels(
  root: SourceMap,
  { findings, env }: { readonly findings: Findings; readonly env: Environment },
): void {
  const models = root.members.get('models')
  const providers = new Map(itemsOf(memberOf(models, 'providers')))
  const aliases = itemsOf(memberOf(models, 'aliases'))
  const names = { aliases: aliases.map(([name]) => name), providers: [...providers.keys()] }
  const context = { findings, env, names, providers, told: new Set<string>() }
  for (const [name, node] of providers) checkProvider(name, node, findings)
  checkAliases(models, aliases, findings)
  const own = ['default', 'mini'].flatMap((name) => memberOf(models, name) ?? [])
  const chosen = itemsOf(root.members.get('agents')).flatMap(
    ([, agent]) => memberOf(agent, 'model') ?? [],
  )
  for (const node of [...own, ...aliases.map(([, target]) => target), ...chosen]) {
    checkName(node, context)
  }
  for (const [name, node] of itemsOf(memberOf(models, 'prices'))) checkPrice(name, node, context)
}

function checkProvider(name: string, node: SourceNode, findings: Findings): void {
  if (node.kind !== 'map' || node.members.has('baseUrl')) return
  const dialect = textOf(node.members.get('dialect')) ?? modelVendors.get(name)?.dialect
  if (dialect === undefined) {
    const message = 'expected dialect, for a vendor’s own service, or baseUrl, for any other'
    findings.wrongKey(node, message, { code: 'MISSING_KEY' })
  } else if (dialect === 'open-responses') {
    findings.missing(
      node,
      ['baseUrl'],
      'is missing; expected where the server is: open-responses is nobody’s own',
    )
  }
}

function checkAliases(
  models: SourceNode | undefined,
  aliases: readonly [string, SourceNode][],
  findings: Findings,
): void {
  const targets = new Map<string, string>()
  for (const name of ['default', 'mini']) {
    const target = textOf(memberOf(models, name))
    if (target !== undefined) targets.set(name, target)
  }
  const standing: readonly string[] = standingAliases
  for (const [name, node] of aliases) {
    if (name === 'console')
      findings.wrongKey(node, 'console is what there is without a model; choose another name')
    else if (name === 'client')
      findings.wrongKey(node, 'client is the model of whoever chats; choose another name')
    else if (standing.includes(name)) findings.wrongKey(node, `write models: { ${name}: … }`)
    else targets.set(name, textOf(node) ?? '')
  }
  for (const [name, node] of [...aliases, ...membersNamed(models, ['default', 'mini'])]) {
    const circle = circleFrom(name, targets)
    if (circle) findings.wrongValue(node, `leads in a circle: ${circle.join(' -> ')}`)
  }
}

function membersNamed(
  node: SourceNode | undefined,
  names: readonly string[],
): [string, SourceNode][] {
  return itemsOf(node).filter(([name]) => names.includes(name))
}

/** The way from an alias back to itself. */
function circleFrom(name: string, targets: ReadonlyMap<string, string>): string[] | undefined {
  const way = [name]
  for (let next = targets.get(name); next !== undefined; next = targets.get(next)) {
    way.push(next)
    if (next === name) return way
    if (way.indexOf(next) < way.length - 1) return undefined
  }
  return undefined
}

function checkName(node: SourceNode, context: Context): void {
  const { findings, names } = context
  const name = textOf(node)
  if (name === undefined || name.trim() === '' || findings.concerns(node)) return
  const resolved = resolveModelName(name, names)
  if (resolved === undefined) {
    const known = providerNames(names)
    const provider = providerOf(name)
    const meant = provider === undefined ? nearest(name, names.aliases) : nearest(provider, known)
    reportUnknown(node, { meant, isProvider: provider !== undefined, known }, context)
    return
  }
  const provider = providerOf(resolved)
  if (provider !== undefined && !context.providers.has(provider)) checkKey(provider, node, context)
}

function providerNames({ providers }: ModelNames): string[] {
  return [...new Set([...providers, ...modelVendors.keys()])]
}

function reportUnknown(
  node: SourceNode,
  what: {
    readonly meant: string | undefined
    readonly isProvider: boolean
    readonly known: readonly string[]
  },
  { findings, names }: Context,
): void {
  const { meant, isProvider, known } = what
  const hidden = node.kind === 'scalar' && node.references.length > 0
  const shown = hidden ? 'what was put in' : JSON.stringify(textOf(node))
  const aliases = [...new Set([...standingAliases, ...names.aliases])].join(', ')
  const hint = meant
    ? `; did you mean ${isProvider ? `${meant}/…` : meant}?`
    : `; providers: ${known.join(', ')}; aliases: ${aliases}`
  findings.wrongValue(node, `expected provider/model or an alias, received ${shown}${hint}`, {
    code: 'UNKNOWN_MODEL',
  })
}

/** A provider that is not configured is its vendor's, with the key that the environment has. */
function checkKey(provider: string, node: SourceNode, { findings, env, told }: Context): void {
  const vendor = modelVendors.get(provider)
  if (!vendor || told.has(provider) || vendor.keyVariables.some((name) => env[name])) return
  told.add(provider)
  const message = `needs a key: set ${vendor.keyVariables[0]}, or say models: { providers: { ${provider}: { key: … } } }`
  findings.warn(node, message, 'UNSET_VARIABLE')
}

function checkPrice(name: string, node: SourceNode, { findings, names }: Context): void {
  const provider = providerOf(name)
  const known = providerNames(names)
  if (provider === undefined) {
    findings.wrongKey(node, 'expected provider/model, or provider/* for all models of a provider')
  } else if (!known.includes(provider)) {
    const meant = nearest(provider, known)
    const hint = meant ? `; did you mean ${meant}?` : `; providers: ${known.join(', ')}`
    findings.wrongKey(node, `there is no provider ${JSON.stringify(provider)}${hint}`, {
      code: 'UNKNOWN_MODEL',
    })
  }
}
