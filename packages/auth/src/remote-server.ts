import type { ClientCredentials } from '@mobius-mcp/state'

/** A server that may want to know who calls, as far as signing in is concerned. */
export interface RemoteServer {
  /** What it is called, in messages and commands. */
  readonly name: string
  readonly url: string
  /** Who we are to its authorization server, where that was arranged beforehand. */
  readonly client?: ArrangedClient | undefined
  /** The https URL of a document that says who we are, for authorization servers that read such. */
  readonly clientMetadataUrl?: string | undefined
  /** What to ask for where the server does not say. */
  readonly scopes?: readonly string[] | undefined
  /** The authorization server to use, by its issuer, whatever the server says. */
  readonly issuer?: string | undefined
}

export interface ArrangedClient extends ClientCredentials {
  /** Where the browser is to come back to, as it was arranged; a loopback URL with a port. */
  readonly redirectUri?: string | undefined
}

/** The URL that tokens are bound to. */
export function resourceOf({ url }: RemoteServer): string {
  const resource = new URL(url)
  resource.hash = ''
  return resource.href
}

/** Whether a host means this machine, by its name alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)
}

/**
 * Whether a browser or a secret may be sent there: https, or a server on this machine that itself
 * is wanted by one.
 */
export function isSafeEndpoint(endpoint: string, server: RemoteServer): boolean {
  if (!URL.canParse(endpoint)) return false
  const url = new URL(endpoint)
  if (url.protocol === 'https:') return url.username === '' && url.password === ''
  return (
    url.protocol === 'http:' && isLoopback(url.hostname) && isLoopback(new URL(server.url).hostname)
  )
}
