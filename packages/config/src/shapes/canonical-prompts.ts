import type { Findings } from '../read/findings.ts'
import { isNothing, type SourceNode, toMap } from '../read/source-tree.ts'
import { changeMembers } from './change-nodes.ts'
import { withoutPrograms } from './nanobot-programs.ts'

/** The prompts of one file: a text alone is a template. */
export function canonicalPrompts(node: SourceNode, findings: Findings): SourceNode {
  if (isNothing(node)) return toMap(node, new Map())
  return changeMembers(node, (entry) => {
    if (entry.kind === 'scalar' && !isNothing(entry)) {
      return toMap(entry, new Map([['template', withoutPrograms(entry, findings)]]))
    }
    return changeMembers(entry, (member, key) =>
      key === 'template' && member.kind === 'scalar' ? withoutPrograms(member, findings) : member,
    )
  })
}
