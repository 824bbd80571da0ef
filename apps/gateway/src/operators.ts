import { operatorScope } from '@mobius-mcp/permissions'
import type { Principal } from '@mobius-mcp/protocol'

/** Who may approve, change rules, add servers and reload. */
export function isOperator({ scopes }: Principal): boolean {
  return scopes.includes(operatorScope)
}
