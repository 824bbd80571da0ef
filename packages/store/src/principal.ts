import type { PrincipalName } from '@mobius-mcp/state'

/** What `principalKey` made. */
export function fromPrincipalKey(key: string): PrincipalName {
  const [issuer, id] = JSON.parse(key) as [string | null, string]
  return { id, issuer: issuer ?? undefined }
}
