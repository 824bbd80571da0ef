import type { PendingLogin } from '@mobius-mcp/protocol'
import type { Server } from './server.ts'

/** Tells, once for each, when somebody has signed in to a server that asked for it. */
export class SignIns {
  readonly #onSignedIn: (server: Server) => void
  readonly #awaited = new WeakMap<Server, Set<string>>()

  constructor(onSignedIn: (server: Server) => void) {
    this.#onSignedIn = onSignedIn
  }

  /** Many calls may be told of the one sign-in. */
  await(server: Server, { id, done }: PendingLogin): void {
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
