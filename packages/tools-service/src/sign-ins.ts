import { AuthNeededError, type PendingLogin } from '@mobius-mcp/protocol'
import type { Server } from './server.ts'

/** Tells, once for each, when somebody has signed in to a server that asked for it. */
export class SignIns {
  readonly #onSignedIn: (server: Server) => void
  readonly #awaited = new WeakMap<Server, Set<string>>()

  constructor(onSignedIn: (server: Server) => void) {
    this.#onSignedIn = onSignedIn
  }

  /** Many calls may be told of the one sign-in. Returns what they are told. */
  await(server: Server, error: AuthNeededError): AuthNeededError {
    this.#wait(server, error.login)
    return server.sharing === 'process' ? withoutUrl(server, error) : error
  }

  #wait(server: Server, { id, done }: PendingLogin): void {
    const awaited = this.#awaited.get(server) ?? new Set()
    if (awaited.has(id)) return
    this.#awaited.set(server, awaited.add(id))
    const finish = (signedIn: boolean) => {
      awaited.delete(id)
      if (signedIn) this.#onSignedIn(server)
    }
    done.then(finish, () => finish(false))
  }
}

/**
 * Of a connection that everybody shares nobody is told where to sign in: whoever went there would
 * make their own account everybody's.
 */
function withoutUrl({ name }: Server, { login }: AuthNeededError): AuthNeededError {
  const { id, stepUp, done } = login
  const reason = `${login.reason}, and everybody shares one connection to it, so an operator has to sign in`
  return new AuthNeededError(name, { id, url: undefined, reason, stepUp, done })
}
