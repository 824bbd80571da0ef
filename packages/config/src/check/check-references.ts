import { nearest } from '../nearest.ts'
import { promptServerName } from '../prompt-settings.ts'
import type { Findings } from '../read/findings.ts'
import type { SourceMap } from '../read/source-tree.ts'
import { reservedServerNames } from '../server-name.ts'
import { type FoundReference, referencesOf } from './find-references.ts'
import { itemsOf } from './items-of.ts'

/** Every server that a reference may name: agents are servers, and a prompt's name stands for it. */
export function knownServerNames(root: SourceMap, others: readonly string[]): string[] {
  const { servers, agents, prompts } = namesIn(root)
  const own = prompts.length > 0 ? [promptServerName] : []
  return [...servers, ...agents, ...prompts, ...own, ...reservedServerNames, ...others]
}

interface Names {
  readonly servers: readonly string[]
  readonly agents: readonly string[]
  readonly prompts: readonly string[]
}

function namesIn(root: SourceMap): Names {
  const keysOf = (section: string) => itemsOf(root.members.get(section)).map(([name]) => name)
  return { servers: keysOf('mcpServers'), agents: keysOf('agents'), prompts: keysOf('prompts') }
}

/**
 * Finds references to what does not exist. A slip in what is left out would publish it, one in a hook
 * would never run it, and one in an agent would leave it without its tool, so this is an error and not
 * a warning.
 */
export function checkReferences(
  root: SourceMap,
  options: { readonly findings: Findings; readonly known: readonly string[] },
): void {
  const names = namesIn(root)
  for (const reference of referencesOf(root)) {
    const { node } = reference
    if (options.findings.concerns(node)) continue
    if (reference.kind === 'server') checkServer(reference, names, options)
    else if (reference.kind === 'whole server') checkWhole(reference, names, options)
    else checkNamed(reference, names[`${reference.kind}s`], options.findings)
  }
}

interface Options {
  readonly findings: Findings
  readonly known: readonly string[]
}

function checkServer(reference: FoundReference, names: Names, { findings, known }: Options): void {
  const { named } = reference
  const [server = ''] = named.split('/', 1)
  if (server.includes('*') || isMisplaced(server, findings)) return
  // A server's name may hold a slash itself.
  if (known.some((name) => named === name || named.startsWith(`${name}/`))) return
  report(
    reference,
    { kind: 'server', name: server, known, configured: Object.values(names).flat() },
    findings,
  )
}

/** Where all of a server is meant, a tool of it is not. */
function checkWhole(reference: FoundReference, names: Names, options: Options): void {
  const { named, node } = reference
  const server = options.known.find((name) => named.startsWith(`${name}/`))
  if (server === undefined || options.known.includes(named)) checkServer(reference, names, options)
  else {
    const message = `expected the name of a server alone; of ${server}, write tools: [${named}]`
    options.findings.wrongValue(node, message)
  }
}

function checkNamed(reference: FoundReference, known: readonly string[], findings: Findings): void {
  const { kind, named } = reference
  if (known.includes(named)) return
  report(reference, { kind, name: named, known, configured: known }, findings)
}

const codes = {
  server: 'UNKNOWN_SERVER',
  'whole server': 'UNKNOWN_SERVER',
  agent: 'UNKNOWN_AGENT',
  prompt: 'UNKNOWN_PROMPT',
} as const

function report(
  { node, inKey }: FoundReference,
  what: {
    readonly kind: FoundReference['kind']
    readonly name: string
    readonly known: readonly string[]
    readonly configured: readonly string[]
  },
  findings: Findings,
): void {
  const { kind, name, known, configured } = what
  const suggestion = nearest(name, known)
  const hint = suggestion
    ? `; did you mean ${suggestion}?`
    : `; configured: ${configured.join(', ') || 'none'}`
  const hidden = !inKey && node.kind === 'scalar' && node.references.length > 0
  const shown = hidden ? 'that has the name which was put in' : JSON.stringify(name)
  const message = `there is no ${kind} ${shown}${hint}`
  const finding = { code: codes[kind], suggestion }
  if (inKey) findings.wrongKey(node, message, finding)
  else findings.wrongValue(node, message, finding)
}

/** True for a server that stands at the wrong place, which was told. */
function isMisplaced(server: string, { problems }: Findings): boolean {
  return problems.some(({ suggestion }) => suggestion === `mcpServers.${server}`)
}
