import type { PermissionSettings, RuleText } from '../permission-settings.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'

/** Rules, each with its place. */
export function toPermissions(node: SourceNode | undefined): PermissionSettings {
  const rules = (kind: string): RuleText[] => {
    const list = memberOf(node, kind)
    return list?.kind === 'list' ? list.items.map(toRule) : []
  }
  return { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') }
}

function toRule(node: SourceNode): RuleText {
  const { file } = node.source
  const text = node.kind === 'scalar' ? (node.text ?? '') : ''
  return { text, file, ...node.source.positionOf(node.offset) }
}

/** The same rules without their places: one that stands on another line is the same. */
export function textsOf(permissions: PermissionSettings): unknown {
  return Object.entries(permissions).map(([kind, rules]: [string, readonly RuleText[]]) => [
    kind,
    rules.map(({ text }) => text),
  ])
}
