import type { FetchLike } from '@mobius-mcp/sandbox'
import type { Account } from './account.ts'
import { parseChallenge } from './challenge.ts'
import { readRefusal } from './refusal.ts'

/** A layer over `fetch`, as `HttpOptions.auth` of transports and the SDK's middleware have it. */
export type FetchLayer = (next: FetchLike) => FetchLike

/**
 * Makes requests to a server in somebody's name. Tokens go to the server's own origin alone; a 401
 * is answered by renewed ones, once; where only a person can help, the request fails at once with
 * `AUTH_NEEDED` and the URL to visit.
 */
export function createLayer(account: Account): FetchLayer {
  const origin = new URL(account.server.url).origin
  return (next) => async (url, init) => {
    if (new URL(url).origin !== origin) return await next(url, init)
    const signal = init?.signal ?? undefined
    const send = (token: string | undefined) => next(url, withToken(init, token))
    const first = await abortable(account.valid(), signal)
    const token = first?.tokens.accessToken
    const response = await send(token)
    // A goodbye is not worth a sign-in.
    if (response.ok || init?.method === 'DELETE') return response
    return await new Attempt(account, send, signal).onAnswer(response, token)
  }
}

type Send = (token: string | undefined) => Promise<Response>

/** What is done about an answer that says no. */
class Attempt {
  readonly #account: Account
  readonly #send: Send
  readonly #signal: AbortSignal | undefined

  constructor(account: Account, send: Send, signal: AbortSignal | undefined) {
    this.#account = account
    this.#send = send
    this.#signal = signal
  }

  async onAnswer(response: Response, token: string | undefined): Promise<Response> {
    if (response.status !== 401) return await this.#onOther(response, token)
    const refusal = await readRefusal(response, token)
    const renewed = await abortable(this.#account.renew(token), this.#signal)
    const fresh = renewed?.tokens.accessToken
    if (fresh === undefined) return await this.#needLogin(refusal, this.#account.reason)
    const second = await this.#send(fresh)
    if (second.status !== 401) return await this.#onOther(second, fresh)
    const again = await readRefusal(second, fresh)
    // Once more would be the beginning of a loop.
    return await this.#needLogin(
      again,
      'the server refuses even the tokens that were issued just now',
    )
  }

  async #needLogin(refusal: Response, reason: string): Promise<Response> {
    const challenge = parseChallenge(refusal.headers.get('www-authenticate'))
    const needed = this.#account.needLogin(challenge, reason)
    const error = await abortable(needed, this.#signal)
    if (error) throw error
    // It wants something else than a sign-in: what it says itself is all there is to say.
    return refusal
  }

  async #onOther(response: Response, token: string | undefined): Promise<Response> {
    if (response.ok || response.status < 400) return response
    const refusal = await readRefusal(response, token)
    const challenge = parseChallenge(refusal.headers.get('www-authenticate'))
    if (response.status !== 403 || challenge.error !== 'insufficient_scope') return refusal
    const error = await abortable(this.#account.needMore(challenge), this.#signal)
    if (error) throw error
    return refusal
  }
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  if (token === undefined) return { ...init }
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Gives up waiting, not the work: others wait for it too. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
