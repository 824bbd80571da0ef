import type { Clock } from '@mobius-mcp/protocol'
import type { StoredTokens, TokenKey, TokenOwner, TokenSet, Tokens } from '@mobius-mcp/state'
import { OAuthRefusal } from './token-endpoint.ts'

export interface AccountTokensOptions {
  readonly tokens: Tokens
  readonly clock: Clock
  readonly principal: TokenOwner
  /** The server's URL. */
  readonly resource: string
  /** Distinguishes this process from others that use the same store. */
  readonly instance: string
  /** Has new tokens issued for old ones. Rejects with `OAuthRefusal` where the server says no. */
  refresh(stored: StoredTokens): Promise<TokenSet>
  /** Told that renewed tokens are in memory alone, because the store would not take them. */
  onUnkept(error: unknown): void
}

/** Longer than a refresh may take. */
const claimTime = 30_000
const pollTime = 200
/** How long what was read counts: another process may have signed in, or out. */
const memoryTime = 5000

/**
 * The tokens of one principal for one server: read once, kept in memory, renewed by one caller at a
 * time, in this process and in all that share the store. A rotating refresh token works once, and a
 * second use may cost the whole sign-in.
 */
export class AccountTokens {
  readonly #options: AccountTokensOptions
  #current: StoredTokens | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<StoredTokens | undefined> | undefined
  #renewing: Promise<StoredTokens | undefined> | undefined
  /** The state of what is stored that cannot be renewed. */
  #hopeless: string | undefined
  /** What is stored is older than what is known, and could not be replaced. */
  #unkept = false
  #known = false

  constructor(options: AccountTokensOptions) {
    this.#options = options
  }

  /** As last known, valid or not. */
  get current(): StoredTokens | undefined {
    return this.#current
  }

  /** Whether there was a sign-in once that nobody has taken back. */
  get known(): boolean {
    return this.#known
  }

  /**
   * Tokens to call with, renewed where they have expired; `undefined` where there are none.
   *
   * @throws what kept them from being renewed for now.
   */
  async valid(): Promise<StoredTokens | undefined> {
    if (this.#options.clock.now() - this.#readAt >= memoryTime && !this.#unkept) await this.look()
    const current = this.#current
    if (!current || this.#isFresh(current)) return current
    return await this.renew(current.tokens.accessToken)
  }

  /** What is stored now, whoever stored it. */
  async look(): Promise<StoredTokens | undefined> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return await this.#reading
  }

  /**
   * Other tokens than those that were refused: what somebody else stored meanwhile, else renewed
   * ones; `undefined` where only a sign-in helps.
   *
   * @throws what kept them from being renewed for now.
   */
  async renew(refused: string | undefined): Promise<StoredTokens | undefined> {
    if (this.#isOther(this.#current, refused)) return this.#current
    this.#renewing ??= this.#renew(refused).finally(() => {
      this.#renewing = undefined
    })
    return await this.#renewing
  }

  /** Keeps what a sign-in brought, in place of all that was there for this server. */
  async keep(issuer: string, set: TokenSet): Promise<void> {
    const { tokens, principal, resource } = this.#options
    const key: TokenKey = { principal, issuer, resource }
    for (let version: string | undefined; version === undefined; ) {
      version = await tokens.set(key, set, (await tokens.get(key))?.version)
      if (version !== undefined) this.#setCurrent({ key, tokens: set, version })
    }
    for (const other of await tokens.list(principal, resource)) {
      if (other.key.issuer !== issuer) await tokens.delete(other.key, other.version)
    }
  }

  /** Removes everything, and returns what there was. */
  async clear(): Promise<readonly StoredTokens[]> {
    const { tokens, principal, resource } = this.#options
    // Or what it brings would outlive this.
    await this.#renewing?.catch(() => {})
    const removed = this.#unkept && this.#current ? [this.#current] : []
    for (;;) {
      const [stored] = await tokens.list(principal, resource)
      if (!stored) break
      if (await tokens.delete(stored.key, stored.version)) removed.push(stored)
    }
    this.#setCurrent(undefined)
    this.#known = false
    return removed
  }

  async #read(): Promise<StoredTokens | undefined> {
    const { tokens, principal, resource } = this.#options
    const found = await tokens.list(principal, resource)
    this.#setCurrent(found.toSorted((a, b) => expiryOf(b) - expiryOf(a))[0])
    return this.#current
  }

  #setCurrent(stored: StoredTokens | undefined): void {
    this.#current = stored
    this.#readAt = this.#options.clock.now()
    this.#unkept = false
    this.#known ||= stored !== undefined
  }

  #setUnkept(stored: StoredTokens): void {
    this.#setCurrent(stored)
    this.#unkept = true
  }

  async #renew(refused: string | undefined): Promise<StoredTokens | undefined> {
    for (;;) {
      // Another process may have renewed them, or somebody may have signed in there.
      const stored = await this.#read()
      if (!stored || this.#isOther(stored, refused)) return stored
      if (stored.tokens.refreshToken === undefined || stored.version === this.#hopeless) {
        return undefined
      }
      if (this.#isClaimed(stored)) await this.#wait()
      else {
        const claimed = await this.#claim(stored)
        if (claimed) return await this.#refresh(claimed)
      }
    }
  }

  /** Tells all who share the store that somebody is at it. */
  async #claim(stored: StoredTokens): Promise<StoredTokens | undefined> {
    const { clock, instance } = this.#options
    const claim = { by: instance, until: clock.now() + claimTime }
    return await this.#replace(stored, { ...stored.tokens, claim })
  }

  async #refresh(claimed: StoredTokens): Promise<StoredTokens | undefined> {
    const { claim: _, ...old } = claimed.tokens
    let issued: TokenSet
    try {
      issued = await this.#options.refresh(claimed)
    } catch (error) {
      const isNo = error instanceof OAuthRefusal && !error.temporary
      if (isNo) return await this.#giveUp(claimed, old, error)
      // Nobody knows whether it will work again: nothing is deleted.
      await this.#replace(claimed, old)
      throw error
    }
    return await this.#keepRenewed(claimed, issued)
  }

  async #keepRenewed(claimed: StoredTokens, issued: TokenSet): Promise<StoredTokens | undefined> {
    // In memory first: where it cannot be written, this process at least goes on.
    this.#setUnkept({ ...claimed, tokens: issued })
    try {
      for (let present = claimed; ; ) {
        const kept = await this.#replace(present, issued)
        if (kept) this.#setCurrent(kept)
        if (kept) return kept
        const stored = await this.#read()
        // Somebody signed out meanwhile, or in.
        if (!stored || stored.tokens.refreshToken !== claimed.tokens.refreshToken) return stored
        present = stored
      }
    } catch (error) {
      this.#options.onUnkept(error)
      this.#setUnkept({ ...claimed, tokens: issued })
      return this.#current
    }
  }

  async #giveUp(
    claimed: StoredTokens,
    old: TokenSet,
    { error }: OAuthRefusal,
  ): Promise<StoredTokens | undefined> {
    const { tokens } = this.#options
    if (definitive.has(error)) {
      // Where they have changed, somebody else's are not ours to delete.
      await tokens.delete(claimed.key, claimed.version)
    } else {
      this.#hopeless = (await this.#replace(claimed, old))?.version
    }
    const stored = await this.#read()
    return this.#isOther(stored, old.accessToken) ? stored : undefined
  }

  async #replace(stored: StoredTokens, set: TokenSet): Promise<StoredTokens | undefined> {
    const version = await this.#options.tokens.set(stored.key, set, stored.version)
    return version === undefined ? undefined : { ...stored, tokens: set, version }
  }

  /** Good ones that are not those that were refused. */
  #isOther(stored: StoredTokens | undefined, refused: string | undefined): boolean {
    return stored !== undefined && stored.tokens.accessToken !== refused && this.#isFresh(stored)
  }

  #isFresh({ tokens: { expiresAt } }: StoredTokens): boolean {
    return expiresAt === undefined || expiresAt > this.#options.clock.now()
  }

  #isClaimed({ tokens: { claim } }: StoredTokens): boolean {
    return claim !== undefined && claim.until > this.#options.clock.now()
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.set(resolve, pollTime)
    })
  }
}

/** The server will never say anything else of these tokens. */
const definitive: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
])

function expiryOf({ tokens }: StoredTokens): number {
  return tokens.expiresAt ?? Number.POSITIVE_INFINITY
}
