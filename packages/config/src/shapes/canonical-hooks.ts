import type { SourceNode } from '../read/source-tree.ts'
import { asList, changeMembers } from './change-nodes.ts'

/** Hooks with a list of targets under every key: a single one may stand there without brackets. */
export function canonicalHooks(node: SourceNode): SourceNode {
  return changeMembers(node, asList)
}
