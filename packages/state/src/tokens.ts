/** Whose something is. A `Principal` is one. */
export interface TokenOwner {
  readonly id: string
  /** Who vouches for the id; absent for the machine's own user. */
  readonly issuer?: string | undefined
}

/** Tokens belong to one principal, come from one authorization server and are for one server. */
export interface TokenKey {
  readonly principal: TokenOwner
  /** The authorization server, as its metadata names it. */
  readonly issuer: string
  /** The URL of the MCP server that they are sent to, and nowhere else. */
  readonly resource: string
}

/** Who we are to an authorization server. */
export interface ClientCredentials {
  readonly id: string
  readonly secret?: string | undefined
  /** How the server wants them presented, where it said so. */
  readonly method?: string | undefined
}

/** What a sign-in brought. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** Milliseconds since the epoch; unknown where the server did not say. */
  readonly expiresAt?: number | undefined
  /** What may be done with them, in the server's words, separated by blanks. */
  readonly scope?: string | undefined
  /** What the server's own metadata calls the resource, to be named when they are refreshed. */
  readonly indicator?: string | undefined
  /** When somebody signed in, in milliseconds since the epoch; renewing them changes nothing about it. */
  readonly signedInAt?: number | undefined
  /** Whom they were issued to: they can be refreshed by nobody else. */
  readonly client: ClientCredentials
  /** Somebody is refreshing them, until then at the latest: a rotating refresh token works once. */
  readonly claim?: { readonly by: string; readonly until: number } | undefined
}

/** What is stored, and the state of it that a change may refer to. */
export interface StoredTokens {
  readonly key: TokenKey
  readonly tokens: TokenSet
  /** Differs after every change. */
  readonly version: string
}

/** Who we are to an authorization server that registered us. */
export interface ClientRegistration extends ClientCredentials {
  /** Milliseconds since the epoch; absent where the secret lasts. */
  readonly secretExpiresAt?: number | undefined
  /** What was said that it would ask for; some servers let it ask for nothing else. */
  readonly scope?: string | undefined
  /** Where the browser comes back to: a registration is good for no other place. */
  readonly redirectUri: string
}

/** What a sign-in that is under way has to prove when the browser comes back. */
export interface CodeVerifier {
  readonly verifier: string
  /** The authorization server that the browser was sent to. */
  readonly issuer: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * The secrets of signing in to others. Several processes may use one store, so a change says what it
 * is a change of. Whatever cannot be written rejects: a sign-in that is not kept has failed.
 */
export interface Tokens {
  get(key: TokenKey): Promise<StoredTokens | undefined>
  /**
   * Replaces what is stored where it is still `expected`, `undefined` for nothing. Resolves with the
   * new version; with `undefined` where somebody else was quicker: then look again.
   */
  set(key: TokenKey, tokens: TokenSet, expected: string | undefined): Promise<string | undefined>
  /** Removes it where it is still `expected`. Resolves with whether it did. */
  delete(key: TokenKey, expected: string): Promise<boolean>
  /** What a principal has for a server, whoever issued it. */
  list(principal: TokenOwner, resource: string): Promise<StoredTokens[]>

  registration(issuer: string): Promise<ClientRegistration | undefined>
  /** Keeps it; `undefined` forgets it. */
  setRegistration(issuer: string, registration: ClientRegistration | undefined): Promise<void>

  saveVerifier(state: string, verifier: CodeVerifier): Promise<void>
  /** Gives it out once; not after it has expired. */
  takeVerifier(state: string, now: number): Promise<CodeVerifier | undefined>
}
