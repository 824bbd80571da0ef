import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '@mobius-mcp/protocol'
import {
  createGuardedFetch,
  type FetchLike,
  findNetwork,
  type GuardOptions,
  type Lookup,
  type Network,
} from '@mobius-mcp/sandbox'
import { createMemoryTokens, type TokenOwner, type Tokens } from '@mobius-mcp/state'
import { Account } from './account.ts'
import { type Listen, listenOnLoopback } from './callback-server.ts'
import { Callbacks } from './callbacks.ts'
import { createLayer, type FetchLayer } from './layer.ts'
import { logIn } from './log-in.ts'
import { logOut, type SignOut } from './log-out.ts'
import { type RemoteServer, resourceOf } from './remote-server.ts'

export interface SignInOptions {
  /** Where tokens are kept; in memory by default. */
  readonly tokens?: Tokens | undefined
  readonly clock?: Clock | undefined
  /** Shows a URL to whoever called `login`; nothing by default. Calls never open anything. */
  readonly openUrl?: ((url: string) => void | Promise<void>) | undefined
  /** Fetches what servers point to, instead of the guarded fetch. */
  readonly fetch?: FetchLike | undefined
  /** What the guarded fetch may reach beside the Internet and the server's own host and network. */
  readonly guard?: SignInGuard | undefined
  /** Listens for the browser to come back; on the loopback interface by default. */
  readonly listen?: Listen | undefined
  /** How long a sign-in waits for somebody to carry it out, in milliseconds; ten minutes by default. */
  readonly timeout?: number | undefined
  /** What authorization servers call us when they ask for consent. */
  readonly clientName?: string | undefined
  /** Told what happened, without secrets. */
  readonly log?: ((server: string, line: string) => void) | undefined
}

export interface SignInGuard extends GuardOptions {
  /** Finds a host's addresses; by default as the system does. */
  readonly lookup?: Lookup | undefined
}

export interface LoginOptions {
  readonly principal: TokenOwner
  readonly signal?: AbortSignal | undefined
  /** Told where to go. */
  readonly onUrl?: ((url: string) => void) | undefined
}

/** How somebody stands with a server. Holds no secret. */
export interface SignInStatus {
  /** `expired`: it cannot be renewed any more; `pending`: nobody signed in yet, and `url` waits for it. */
  readonly state: 'signed-in' | 'expired' | 'pending' | 'signed-out'
  readonly issuer?: string | undefined
  readonly scope?: string | undefined
  /** When the access token expires: milliseconds since the epoch. */
  readonly expiresAt?: number | undefined
  /** Whether it is renewed without anybody. */
  readonly renewable?: boolean | undefined
  /** The sign-in that waits for somebody. */
  readonly url?: string | undefined
}

/** Who we are to servers that want to know. */
export interface SignIn {
  /** What makes requests to a server in a principal's name, for `HttpOptions.auth`. */
  layerFor(server: RemoteServer, principal: TokenOwner): FetchLayer
  /**
   * Has somebody sign in, and resolves when they have.
   *
   * @throws SignInError
   */
  login(server: RemoteServer, options: LoginOptions): Promise<void>
  /** Forgets what somebody signed in with, and has it revoked where the authorization server can. */
  logout(server: RemoteServer, options: Omit<LoginOptions, 'onUrl'>): Promise<SignOut>
  status(server: RemoteServer, options: Pick<LoginOptions, 'principal'>): Promise<SignInStatus>
  /** Gives up every sign-in that waits. */
  close(): void
}

const tenMinutes = 600_000

/**
 * Signs in to MCP servers with OAuth: tokens belong to a principal, an authorization server and a
 * server's URL, and are never sent anywhere else.
 *
 * @example
 * const signIn = createSignIn({ tokens: openFileTokens('/var/lib/mobius/tokens') })
 * const auth = signIn.layerFor({ name: 'notes', url }, localPrincipal)
 * const wire = await connect({ type: 'http', url, auth })
 */
export function createSignIn(options: SignInOptions = {}): SignIn {
  const { tokens = createMemoryTokens(), clock = systemClock, listen = listenOnLoopback } = options
  const accounts = new Map<string, Account>()
  const world = {
    tokens,
    clock,
    callbacks: new Callbacks(listen),
    timeout: options.timeout ?? tenMinutes,
    clientName: options.clientName ?? 'Mobius',
    instance: randomBytes(8).toString('hex'),
    fetchFor: createFetches(options),
    log: options.log ?? (() => {}),
  }
  const accountOf = (server: RemoteServer, principal: TokenOwner) => {
    const key = JSON.stringify([principal.issuer ?? null, principal.id, resourceOf(server)])
    const account = accounts.get(key) ?? new Account(world, server, principal)
    accounts.set(key, account)
    account.server = server
    return account
  }
  return {
    layerFor: (server, principal) => createLayer(accountOf(server, principal)),
    login: (server, login) =>
      logIn(accountOf(server, login.principal), { ...login, openUrl: options.openUrl }),
    logout: (server, { principal, signal }) => logOut(world, accountOf(server, principal), signal),
    async status(server, { principal }) {
      return await statusOf(accountOf(server, principal), clock.now())
    },
    close() {
      for (const { login, server } of accounts.values()) login?.cancel(server.name, 'It is over.')
    },
  }
}

async function statusOf({ tokens, login }: Account, now: number): Promise<SignInStatus> {
  const stored = await tokens.look()
  const url = login?.url
  if (!stored) return url === undefined ? { state: 'signed-out' } : { state: 'pending', url }
  const { scope, expiresAt, refreshToken } = stored.tokens
  const renewable = refreshToken !== undefined
  const expired = !renewable && expiresAt !== undefined && expiresAt <= now
  const state = expired ? 'expired' : 'signed-in'
  return { state, issuer: stored.key.issuer, scope, expiresAt, renewable, url }
}

/** A guarded fetch for each host: what was configured may be anywhere, what it points to may not. */
function createFetches({ fetch, guard = {} }: SignInOptions): (server: RemoteServer) => FetchLike {
  const fetches = new Map<string, FetchLike>()
  return (server) => {
    const { hostname } = new URL(server.url)
    const made = fetch ?? fetches.get(hostname) ?? createFetch(new URL(server.url), guard)
    fetches.set(hostname, made)
    return made
  }
}

/** Lets a server point to its own surroundings, wherever they are now, and to the Internet. */
function createFetch(
  url: URL,
  { allowPrivate, allowedHosts = [], lookup }: SignInGuard,
): FetchLike {
  const made = new Map<Network, FetchLike>()
  const create = (network: Network) =>
    createGuardedFetch({
      maxBytes: 256 * 1024,
      timeout: 10_000,
      allowPrivate: allowPrivate ?? (network === 'public' ? false : network),
      allowedHosts: [...allowedHosts, url.hostname],
      lookup,
    })
  return async (place, init) => {
    const network = allowPrivate === undefined ? await findNetwork(url, lookup) : 'public'
    const guarded = made.get(network) ?? create(network)
    made.set(network, guarded)
    return await guarded(place, init)
  }
}
