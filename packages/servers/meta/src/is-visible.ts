import type { Principal } from '@mobius-mcp/protocol'

/** What concerns a principal is for that one and for operators. */
export function isVisible(
  about: { readonly principal: string; readonly issuer?: string | undefined },
  { id, issuer, scopes }: Principal,
): boolean {
  return scopes.includes('operator') || (about.principal === id && about.issuer === issuer)
}
