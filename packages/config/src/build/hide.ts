import { memberOf, type SourceNode } from '../read/source-tree.ts'
import { Secret } from '../secret.ts'
import { toRecord } from './freeze.ts'

/** A text of which `node` tells whether something was put into it: then it is a secret. */
export function hide(text: string, node: SourceNode | undefined): string | Secret {
  return node?.kind === 'scalar' && node.value instanceof Secret ? node.value : text
}

/** The same for all values of a map. Without prototype. */
export function hideAll(
  texts: Readonly<Record<string, string>>,
  node: SourceNode | undefined,
): Readonly<Record<string, string | Secret>> {
  const entries = Object.entries(texts).map(
    ([name, text]) => [name, hide(text, memberOf(node, name))] as const,
  )
  return toRecord(Object.fromEntries(entries))
}
