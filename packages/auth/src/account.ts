import { AuthNeededError } from '@mobius-mcp/protocol'
import type { FetchLike } from '@mobius-mcp/sandbox'
import type { StoredTokens, TokenOwner, TokenSet } from '@mobius-mcp/state'
import { AccountTokens } from './account-tokens.ts'
import type { Challenge } from './challenge.ts'
import { discover, findAuthority } from './discovery.ts'
import { SignInError } from './errors.ts'
import { Login } from './login.ts'
import type { LoginPlan, LoginWorld } from './login-plan.ts'
import { toNetworkProblem } from './plain-text.ts'
import { type RemoteServer, resourceOf } from './remote-server.ts'
import { chooseScope, covers } from './scopes.ts'
import { OAuthRefusal, requestTokens } from './token-endpoint.ts'

export interface AccountWorld extends LoginWorld {
  /** Distinguishes this process from others that use the same store. */
  readonly instance: string
  fetchFor(server: RemoteServer): FetchLike
  log(server: string, line: string): void
}

/** What somebody has to sign in for. */
export type Occasion = Pick<LoginPlan, 'reason' | 'stepUp'>

/** One principal at one server: the tokens, and the sign-in that waits for somebody, if one does. */
export class Account {
  /** As configured last. */
  server: RemoteServer
  readonly tokens: AccountTokens
  readonly #world: AccountWorld
  #login: Login | undefined
  #preparing: Promise<Login | undefined> | undefined
  /** What the last sign-in asked for: asking for it again would not help. */
  #asked: string | undefined

  constructor(world: AccountWorld, server: RemoteServer, principal: TokenOwner) {
    this.#world = world
    this.server = server
    this.tokens = new AccountTokens({
      tokens: world.tokens,
      clock: world.clock,
      principal: { id: principal.id, issuer: principal.issuer },
      resource: resourceOf(server),
      instance: world.instance,
      refresh: (stored) => this.#refresh(stored),
      onUnkept: (error) =>
        world.log(
          this.server.name,
          `The sign-in was renewed, but is lost with this process: ${toNetworkProblem(error)}`,
        ),
    })
  }

  get fetch(): FetchLike {
    return this.#world.fetchFor(this.server)
  }

  /** The sign-in that waits for somebody. */
  get login(): Login | undefined {
    return this.#login
  }

  /** Tokens to call with. @throws SignInError where they cannot be renewed for now. */
  async valid(): Promise<StoredTokens | undefined> {
    return await this.#renewing(() => this.tokens.valid())
  }

  /** Others than those that were refused. @throws SignInError where they cannot be renewed for now. */
  async renew(refused: string | undefined): Promise<StoredTokens | undefined> {
    return await this.#renewing(() => this.tokens.renew(refused))
  }

  /**
   * The error that says where to sign in; `undefined` where the server does not say.
   *
   * @throws SignInError
   */
  async needLogin(challenge: Challenge, reason: string): Promise<AuthNeededError | undefined> {
    const login = await this.prepare(challenge, { reason, stepUp: false })
    return login && new AuthNeededError(this.server.name, login)
  }

  /** The same where a sign-in is there, and does not suffice; `undefined` where another would not either. */
  async needMore(challenge: Challenge): Promise<AuthNeededError | undefined> {
    const granted = this.tokens.current?.tokens.scope
    if (challenge.scope === undefined) return undefined
    if (covers(granted, challenge.scope) || covers(this.#asked, challenge.scope)) return undefined
    const reason = 'this needs more than the present sign-in allows'
    const login = await this.prepare(challenge, { reason, stepUp: true })
    return login && new AuthNeededError(this.server.name, login)
  }

  /** Why somebody has to sign in, where no tokens are left. */
  get reason(): string {
    return this.tokens.known ? 'the sign-in is not valid any more' : 'nobody has signed in'
  }

  /** Gets a sign-in ready; what waits already is used where it would bring what is wanted. */
  async prepare(challenge: Challenge, occasion: Occasion): Promise<Login | undefined> {
    const waiting = this.#login
    if (waiting && !waiting.over && covers(waiting.scope, challenge.scope)) return waiting
    this.#preparing ??= this.#prepare(challenge, occasion).finally(() => {
      this.#preparing = undefined
    })
    return await this.#preparing
  }

  /** Forgets that asking for more did not help: somebody wants to try again. */
  forgetAsked(): void {
    this.#asked = undefined
  }

  async #prepare(challenge: Challenge, occasion: Occasion): Promise<Login | undefined> {
    const { server, fetch } = this
    const authority = await discover(server, challenge, fetch)
    if (!authority) return undefined
    const granted = this.tokens.current?.tokens.scope
    const scope = chooseScope(server, challenge, authority, granted)
    const login = await Login.prepare(this.#world, {
      server,
      authority,
      scope,
      ...occasion,
      fetch,
      onTokens: async (tokens) => {
        await this.tokens.keep(authority.issuer, tokens)
        this.#asked = scope
      },
    })
    this.#login?.cancel(server.name, 'Another one took its place.')
    this.#login = login
    void login.result.then(
      () => this.#onOver(login, 'Signed in.'),
      (error: Error) => this.#onOver(login, error.message),
    )
    return login
  }

  #onOver(login: Login, line: string): void {
    if (this.#login === login) this.#login = undefined
    this.#world.log(this.server.name, line)
  }

  async #refresh({ key, tokens }: StoredTokens): Promise<TokenSet> {
    const { server, fetch } = this
    const { clock } = this.#world
    const { client, indicator, refreshToken, scope } = tokens
    const metadata = await findAuthority(server, key.issuer, fetch)
    if (!metadata) throw new Error(`${key.issuer} does not say any more how to use it`)
    const parameters = {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      resource: indicator,
    }
    try {
      const issued = await requestTokens({ client, metadata, fetch, parameters }, clock.now())
      this.#world.log(server.name, 'The sign-in was renewed.')
      return {
        ...issued,
        // Where it is not replaced, it stays good.
        refreshToken: issued.refreshToken ?? refreshToken,
        scope: issued.scope ?? scope,
        indicator,
        client,
        signedInAt: tokens.signedInAt,
      }
    } catch (error) {
      if (error instanceof OAuthRefusal) await this.#onRefusal(key.issuer, client.id, error)
      throw error
    }
  }

  /** A registration that the server has forgotten is of no use for the next sign-in either. */
  async #onRefusal(issuer: string, client: string, refusal: OAuthRefusal): Promise<void> {
    const { tokens, log } = this.#world
    log(this.server.name, `The sign-in was not renewed: ${refusal.message}.`)
    if (refusal.error !== 'invalid_client' && refusal.error !== 'unauthorized_client') return
    if ((await tokens.registration(issuer))?.id === client) {
      await tokens.setRegistration(issuer, undefined)
    }
  }

  async #renewing(
    work: () => Promise<StoredTokens | undefined>,
  ): Promise<StoredTokens | undefined> {
    try {
      const found = await work()
      this.#login?.onTokens(found?.tokens)
      return found
    } catch (error) {
      if (error instanceof SignInError && error.problem !== 'DISCOVERY_FAILED') throw error
      const detail = `${toNetworkProblem(error)}. It is kept, and tried again with the next call.`
      throw new SignInError('REFRESH_FAILED', this.server.name, detail, error)
    }
  }
}
