import type { Account } from './account.ts'
import { type Challenge, parseChallenge } from './challenge.ts'
import { SignInError } from './errors.ts'
import { toNetworkProblem } from './plain-text.ts'

export interface LogInOptions {
  readonly signal?: AbortSignal | undefined
  readonly onUrl?: ((url: string) => void) | undefined
  readonly openUrl?: ((url: string) => void | Promise<void>) | undefined
}

/**
 * Has somebody sign in, whether somebody is already or not.
 *
 * @throws SignInError
 */
export async function logIn(account: Account, options: LogInOptions): Promise<void> {
  const { server } = account
  const { signal, onUrl, openUrl } = options
  signal?.throwIfAborted()
  const challenge = await askForChallenge(account, signal)
  account.forgetAsked()
  // What was granted already is asked for again.
  await account.tokens.look()
  const occasion = { reason: 'somebody asked for it', stepUp: false }
  const login = await account.prepare(challenge, occasion)
  if (!login) {
    throw new SignInError(
      'NO_AUTHORIZATION_SERVER',
      server.name,
      'If it wants a key, configure a header.',
    )
  }
  const onAbort = () => login.cancel(server.name, 'Whoever asked for it took it back.')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  login.hold()
  try {
    onUrl?.(login.url)
    // Where it does not open, it was told.
    await Promise.resolve(openUrl?.(login.url)).catch(() => {})
    await login.result
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Asks for something harmless, to be told what to bring. */
async function askForChallenge(
  account: Account,
  signal: AbortSignal | undefined,
): Promise<Challenge> {
  try {
    const response = await account.fetch(account.server.url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    })
    await response.body?.cancel()
    return parseChallenge(response.headers.get('www-authenticate'))
  } catch (error) {
    throw new SignInError('DISCOVERY_FAILED', account.server.name, toNetworkProblem(error), error)
  }
}
