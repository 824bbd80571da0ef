import { isProtocolError, ProtocolError } from './errors.ts'

/** A sign-in that waits for somebody with a browser. */
export interface PendingLogin {
  readonly id: string
  /**
   * Where to go. For whoever asked, and for nobody else: who signs in there signs in for them.
   * `undefined` where it is not for whoever asked to sign in.
   */
  readonly url: string | undefined
  /** Why it is needed, to stand after the server's name and a colon. */
  readonly reason: string
  /** The server knows who calls, and wants to be told by them that more is allowed. */
  readonly stepUp: boolean
  /** Resolves, with whether somebody signed in, when it is over. */
  readonly done: Promise<boolean>
}

/** The server did not act: somebody has to sign in first. Its `data` says where, if whoever asked may. */
export class AuthNeededError extends ProtocolError {
  readonly login: PendingLogin

  constructor(server: string, login: PendingLogin) {
    const { url, reason } = login
    const data = url === undefined ? { server } : { server, url }
    super('AUTH_NEEDED', `Server "${server}" needs a sign-in: ${reason}`, { data })
    this.login = login
  }
}

/** True for an `AuthNeededError` of this or another copy of the package. */
export function isAuthNeeded(error: unknown): error is AuthNeededError {
  return isProtocolError(error) && error.code === 'AUTH_NEEDED' && 'login' in error
}
