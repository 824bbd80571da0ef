import { randomBytes } from 'node:crypto'
import type { PendingLogin } from '@mobius-mcp/protocol'
import type { ClientCredentials, TokenSet } from '@mobius-mcp/state'
import { callbackRefused, readCode } from './authorization-answer.ts'
import type { Callback } from './callbacks.ts'
import { openCallback } from './client.ts'
import { SignInError } from './errors.ts'
import type { LoginPlan, LoginWorld } from './login-plan.ts'
import { toNetworkProblem } from './plain-text.ts'
import type { RemoteServer } from './remote-server.ts'
import { covers } from './scopes.ts'
import { OAuthRefusal, requestTokens } from './token-endpoint.ts'

/** A sign-in that waits for a browser: from the URL to visit to the tokens, or to its end without. */
export class Login implements PendingLogin {
  readonly id: string = randomBytes(16).toString('hex')
  readonly url: string
  readonly reason: string
  readonly stepUp: boolean
  readonly scope: string | undefined
  readonly done: Promise<boolean>
  /** Resolves when somebody signed in, rejects with why nobody did. */
  readonly result: Promise<void>
  readonly #callback: Callback
  readonly #preparedAt: number
  #settle: (failure: SignInError | undefined) => void = () => {}
  over = false

  /**
   * Gets everything ready.
   *
   * @throws SignInError
   */
  static async prepare(world: LoginWorld, plan: LoginPlan): Promise<Login> {
    const { client, callback } = await openCallback(world, plan)
    try {
      const state = randomBytes(32).toString('base64url')
      const { url, verifier } = await toAuthorizationUrl(plan, client, callback, state)
      const { issuer } = plan.authority
      const expiresAt = world.clock.now() + world.timeout
      await world.tokens.saveVerifier(state, { verifier, issuer, expiresAt })
      return new Login(world, plan, { client, callback, state, url })
    } catch (error) {
      callback.close()
      throw error
    }
  }

  private constructor(
    world: LoginWorld,
    plan: LoginPlan,
    ready: { client: ClientCredentials; callback: Callback; state: string; url: string },
  ) {
    const { client, callback, state, url } = ready
    this.url = url
    this.reason = plan.reason
    this.stepUp = plan.stepUp
    this.scope = plan.scope
    this.#callback = callback
    this.#preparedAt = world.clock.now()
    const timer = world.clock.set(() => {
      this.#settle(
        new SignInError('LOGIN_TIMEOUT', plan.server.name, `It waited ${world.timeout / 1000} s.`),
      )
    }, world.timeout)
    this.result = new Promise((resolve, reject) => {
      this.#settle = (failure) => {
        if (this.over) return
        this.over = true
        world.clock.clear(timer)
        callback.close()
        void world.tokens.takeVerifier(state, world.clock.now()).catch(() => {})
        if (failure) reject(failure)
        else resolve()
      }
    })
    this.done = this.result.then(
      () => true,
      () => false,
    )
    callback.expect(state, async (parameters) => {
      const failure = await finish(world, plan, { client, callback, state }, parameters)
      this.#settle(failure)
      return failure === undefined
    })
  }

  /** Keeps the process alive until it is over: somebody is doing it now. */
  hold(): void {
    this.#callback.hold()
  }

  /** Ends it where somebody signed in elsewhere since, with all that is wanted here. */
  onTokens(tokens: TokenSet | undefined): void {
    const { signedInAt = 0, scope } = tokens ?? {}
    if (signedInAt > this.#preparedAt && covers(scope, this.scope)) this.#settle(undefined)
  }

  cancel(server: string, reason: string): void {
    this.#settle(new SignInError('LOGIN_CANCELLED', server, reason))
  }
}

async function toAuthorizationUrl(
  { authority, scope }: LoginPlan,
  client: ClientCredentials,
  { redirectUri }: Callback,
  state: string,
): Promise<{ url: string; verifier: string }> {
  const { startAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const { authorization_endpoint, token_endpoint, issuer } = authority.metadata
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata: {
      issuer,
      authorization_endpoint,
      token_endpoint,
      response_types_supported: ['code'],
    },
    clientInformation: { client_id: client.id },
    redirectUrl: redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(authority.indicator === undefined ? {} : { resource: authority.indicator }),
  })
  return { url: authorizationUrl.href, verifier: codeVerifier }
}

interface Returned {
  readonly client: ClientCredentials
  readonly callback: Callback
  readonly state: string
}

/** The browser has come back: the code becomes tokens. Returns what is wrong. */
async function finish(
  world: LoginWorld,
  plan: LoginPlan,
  { client, callback, state }: Returned,
  parameters: URLSearchParams,
): Promise<SignInError | undefined> {
  const { server, authority, fetch } = plan
  const { clock, tokens } = world
  try {
    const saved = await tokens.takeVerifier(state, clock.now())
    if (!saved) throw callbackRefused(server, 'It came too late, or twice.')
    const code = readCode(plan, saved.issuer, parameters)
    const issued = await requestTokens(
      {
        client,
        metadata: authority.metadata,
        fetch,
        parameters: {
          grant_type: 'authorization_code',
          code,
          code_verifier: saved.verifier,
          redirect_uri: callback.redirectUri,
          resource: authority.indicator,
        },
      },
      clock.now(),
    )
    const { indicator } = authority
    // Without a word from the server, what was granted is what was asked for. RFC 6749, 5.1.
    const scope = issued.scope ?? plan.scope
    await keep(plan, { ...issued, scope, indicator, client, signedInAt: clock.now() })
    return undefined
  } catch (error) {
    return toFailure(server, error)
  }
}

async function keep({ server, onTokens }: LoginPlan, tokens: TokenSet): Promise<void> {
  try {
    await onTokens(tokens)
  } catch (error) {
    throw new SignInError('TOKENS_NOT_KEPT', server.name, toNetworkProblem(error), error)
  }
}

function toFailure(server: RemoteServer, error: unknown): SignInError {
  if (error instanceof SignInError) return error
  const detail = error instanceof OAuthRefusal ? `${error.message}.` : toNetworkProblem(error)
  return new SignInError('TOKENS_REFUSED', server.name, detail, error)
}
