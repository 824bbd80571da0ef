import { fieldName } from '../field-name.ts'
import type { Findings } from '../read/findings.ts'
import type { Source } from '../read/source.ts'
import {
  memberOf,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
  textOf,
  toList,
  toMap,
} from '../read/source-tree.ts'
import { Secret } from '../secret.ts'
import {
  type ExpandOptions,
  type Expansion,
  expandText,
  expandWhole,
  type TextPart,
} from './expand-text.ts'
import {
  isOutside,
  outsideReferences,
  parseWholeReference,
  type Reference,
} from './parse-reference.ts'
import { isSecretValue, mayWait } from './value-places.ts'
import type { ValueSources } from './value-sources.ts'

/** A reference to a file or a program, and the file that says so. */
export interface OutsideReference {
  readonly source: Source
  readonly kind: 'file' | 'exec'
  readonly name: string
}

/** What a tree needs that only the outside knows, each reference once. */
export function collectOutside(root: SourceMap): OutsideReference[] {
  const found = new Map<string, OutsideReference>()
  visitValues(root, (node, path) => {
    if (typeof node.value !== 'string' || node.prose) return node
    const whole = wholeReference(node.value, path)
    const references = whole ? [whole].filter(isOutside) : outsideReferences(node.value)
    for (const { kind, name } of references) {
      if (kind !== 'file' && kind !== 'exec') continue
      const reference = { source: node.source, kind, name }
      found.set(outsideKey(reference), reference)
    }
    return node
  })
  return [...found.values()]
}

/** One text for one reference of one folder. */
export function outsideKey({ source, kind, name }: OutsideReference): string {
  return JSON.stringify([kind, source.folder, source.file, name])
}

/** Replaces every reference in a tree. What was put in is a secret from here on. */
export function expandTree(
  root: SourceMap,
  sourcesOf: (source: Source) => ValueSources,
  findings: Findings,
): SourceMap {
  const expanded = visitValues(root, (node, path) => {
    if (typeof node.value !== 'string') return node
    const whole = wholeReference(node.value, path)
    if (!whole && !node.value.includes('${')) {
      warnOfLiteral(node, path, findings)
      return node
    }
    const left = new Set<string>()
    const options: ExpandOptions = {
      mayWait: mayWait(path),
      ...argumentsOf(root, path),
      prose: node.prose,
      onLeft: (reference) => left.add(reference),
    }
    const sources = sourcesOf(node.source)
    const expansion = whole
      ? expandWhole(whole, sources, options)
      : expandText(node.value, sources, options)
    if (left.size > 0) findings.warn(node, explainLeft([...left]))
    return put(node, expansion, findings)
  })
  return expanded.kind === 'map' ? expanded : root
}

function put(node: SourceScalar, expansion: Expansion, findings: Findings): SourceScalar {
  const { parts, references, failures } = expansion
  for (const { code, message } of failures) findings.wrongValue(node, message, { code })
  const hidden = references.length > 0
  const texts = parts.map((part) =>
    typeof part !== 'string' && 'argument' in part ? `\${${part.argument}}` : part,
  )
  const text = texts.map((part) => (typeof part === 'string' ? part : '')).join('')
  const broken = node.broken || failures.length > 0
  const value = hidden ? new Secret(texts) : text
  return { ...node, value, text, references, broken, template: templateOf(parts, hidden) }
}

/** The parts of a value in whose midst arguments stand. */
function templateOf(parts: readonly TextPart[], hidden: boolean): SourceScalar['template'] {
  if (!parts.some((part) => typeof part !== 'string' && 'argument' in part)) return undefined
  return parts.map((part) => {
    if (typeof part === 'string') return hidden ? new Secret(part) : part
    return 'argument' in part ? part : new Secret([part])
  })
}

/** The arguments whose places stand in a prompt's template. */
function argumentsOf(
  root: SourceMap,
  [section, name = '', key]: readonly string[],
): Pick<ExpandOptions, 'places'> {
  if (section !== 'prompts' || key !== 'template') return {}
  const input = memberOf(memberOf(root.members.get('prompts'), name), 'input')
  return { places: input?.kind === 'map' ? [...input.members.keys()].map(fieldName) : [] }
}

function explainLeft(references: readonly string[]): string {
  // What stands behind a name may be secret.
  const shown = references
    .map((reference) => reference.replace(/^(\$\{\w+)\W.+$/s, '$1…}'))
    .join(', ')
  return `leaves ${shown} as written: into prose, only variables that env declares are put; write $\${ where the text is meant`
}

/**
 * Where nothing but a secret can be meant, a value may be a reference without `${…}`. Elsewhere it
 * may not: `file:./dev.db` is how databases are named.
 */
function wholeReference(text: string, path: readonly string[]): Reference | undefined {
  return isSecretValue(path) ? parseWholeReference(text) : undefined
}

const looksMeant = /^(?:env:[A-Za-z_]\w*|exec:\S.*|file:(?:\/var)?\/run\/secrets\/.+)$/s

/** A program that is handed `env:TOKEN` as its token says no more than that it is wrong. */
function warnOfLiteral(node: SourceScalar, path: readonly string[], findings: Findings): void {
  if (path.at(-2) !== 'env' || typeof node.value !== 'string' || !looksMeant.test(node.value))
    return
  const [scheme = ''] = node.value.split(':', 1)
  findings.warn(node, `is handed on as it is; write \${${scheme}:…} where a reference is meant`)
}

/** A server that is off needs no variable, and asks no program for its password. */
function visitValues(
  root: SourceMap,
  change: (node: SourceScalar, path: readonly string[]) => SourceNode,
): SourceNode {
  const servers = root.members.get('mcpServers')
  return visit(root, [], (node, path) => {
    const [section, name = '', key = '', inner = ''] = path
    const unused = section === 'mcpServers' && isUnused(key, memberOf(servers, name))
    // A schema is no value of ours, and says dollars and braces in its patterns.
    const foreign = section === 'agents' && key === 'output' && inner === 'schema'
    return unused || foreign ? node : change(node, path)
  })
}

function isUnused(key: string, server: SourceNode | undefined): boolean {
  // A program that would be reached at a URL of its own cannot be had yet: it is as good as off.
  if (memberOf(server, 'ports') && memberOf(server, 'command')) {
    return key === 'url' || connecting.includes(key)
  }
  return connecting.includes(key) && textOf(memberOf(server, 'enabled')) === 'false'
}

const connecting = ['command', 'args', 'env', 'cwd', 'headers', 'oauth']

function visit(
  node: SourceNode,
  path: readonly string[],
  change: (node: SourceScalar, path: readonly string[]) => SourceNode,
): SourceNode {
  switch (node.kind) {
    case 'map': {
      const members = [...node.members].map(
        ([key, value]) => [key, visit(value, [...path, key], change)] as const,
      )
      return toMap(node, new Map(members))
    }
    case 'list':
      return toList(
        node,
        node.items.map((item, index) => visit(item, [...path, `${index}`], change)),
      )
    case 'scalar':
      return change(node, path)
    default:
      return node satisfies never
  }
}
