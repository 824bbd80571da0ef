import type { FetchLike } from '../environment.ts'
import { TransportError } from '../errors.ts'
import type { HttpOptions } from '../http-options.ts'

/** Checks a server's URL. Its query may hold a key, so no message shows it. */
export function parseServerUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalidOption('the URL cannot be read; expected http(s)://…')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidOption(`the URL must be http or https; received ${url.protocol}`)
  }
  if (url.username || url.password) {
    throw invalidOption('the URL must not hold a user name or password; use headers')
  }
  return url
}

/** A URL as it may be shown. */
export function toPlainUrl(url: URL): string {
  return url.origin + url.pathname
}

/**
 * A `fetch` for one server: with its configured headers, or in the name of whoever signed in.
 * Configured headers go to the server's own origin, and to nobody else: not to an authorization
 * server, not to where a redirect leads. What the protocol itself sets stays.
 */
export function createOwnFetch(
  server: URL,
  { headers, auth }: Pick<HttpOptions, 'headers' | 'auth'>,
  base: FetchLike = patientFetch,
): FetchLike {
  const own = toHeaders(headers)
  const send: FetchLike = async (url, init) => {
    if (!isOwnOrigin(server, new URL(url))) return await base(url, init)
    const headers = new Headers(init?.headers)
    for (const [name, value] of own) if (!headers.has(name)) headers.set(name, value)
    return await base(url, { ...init, headers })
  }
  // Who configured a key wants to hear that it is refused, not to sign in as somebody else.
  return auth && !own.has('authorization') ? auth(send) : send
}

function toHeaders(configured: Readonly<Record<string, string>> | undefined): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(configured ?? {})) {
    try {
      headers.set(name, value)
    } catch {
      // The platform's own message would show the value.
      throw invalidOption(`the header ${JSON.stringify(name)} has an invalid name or value`)
    }
  }
  return headers
}

/** The same origin, or its https form: a redirect from plain http that the SDK follows. */
function isOwnOrigin(server: URL, url: URL): boolean {
  if (server.origin === url.origin) return true
  const { hostname, port, protocol } = url
  return (
    server.hostname === hostname &&
    server.protocol === 'http:' &&
    server.port === '' &&
    protocol === 'https:' &&
    port === ''
  )
}

/**
 * The platform's `fetch`, but for its limit of 300 s of silence: it ends long calls and quiet
 * streams, and how long an answer may take is the session's to say. Node's own dispatcher, found
 * where every copy of undici looks for it, takes the limits by request; other runtimes ignore it.
 */
const patientFetch: FetchLike = (url, init) =>
  fetch(url, { ...init, dispatcher: patientDispatcher } as RequestInit)

interface Dispatcher {
  dispatch(options: object, handler: object): boolean
}

const dispatcherKey = Symbol.for('undici.globalDispatcher.1')

const patientDispatcher: Dispatcher = {
  dispatch(options, handler) {
    const { [dispatcherKey]: global } = globalThis as unknown as Record<symbol, Dispatcher>
    if (!global) throw new TypeError('Node keeps its dispatcher elsewhere now')
    return global.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  },
}

function invalidOption(problem: string): TransportError {
  return new TransportError('SERVER_UNAVAILABLE', `The server's options cannot work: ${problem}`)
}
