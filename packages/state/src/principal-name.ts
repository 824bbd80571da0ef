/** Whose something is. A `Principal` is one; what it may do is not part of it. */
export interface PrincipalName {
  readonly id: string
  /** Who vouches for the id; absent for the machine's own user. */
  readonly issuer?: string | undefined
}

/** A principal as text, in which no part can pass for another. */
export function principalKey({ id, issuer }: PrincipalName): string {
  return JSON.stringify([issuer ?? null, id])
}
