import { ProtocolError } from '@mobius-mcp/protocol'

/** What may go wrong with signing in, by its permanent name. */
export const signInProblems = {
  /** Neither the server nor anything it points to says how to sign in. */
  NO_AUTHORIZATION_SERVER: 'it does not say where to sign in',
  /** What was found does not fit together, or could not be fetched. */
  DISCOVERY_FAILED: 'how to sign in could not be found out',
  /** Tokens would be sent to the server in the clear. */
  UNSAFE_SERVER: 'it is not reached over https, so tokens could be read on their way',
  /** The authorization server does not do what makes a sign-in safe. */
  UNSAFE_AUTHORIZATION_SERVER: 'its authorization server is not safe to use',
  /** The authorization server does not know us, and will not. */
  REGISTRATION_FAILED: 'its authorization server would not register this client',
  /** Nothing could listen for the browser to come back. */
  CALLBACK_UNAVAILABLE: 'nothing can listen for the browser to come back',
  /** The authorization server gave no tokens. */
  TOKENS_REFUSED: 'its authorization server gave no tokens',
  /** The store would not take them: a sign-in that is not kept has failed. */
  TOKENS_NOT_KEPT: 'what it brought could not be kept',
  /** What the browser brought back is not an answer to what was asked. */
  CALLBACK_REFUSED: 'what the browser brought back was refused',
  /** Nobody came back within the time for it. */
  LOGIN_TIMEOUT: 'nobody finished the sign-in in time',
  /** The person said no, or whoever asked for it took it back. */
  LOGIN_CANCELLED: 'the sign-in was given up',
  /** Tokens could not be renewed; they were not deleted. */
  REFRESH_FAILED: 'the sign-in could not be renewed for now',
} as const

/** A permanent name for a kind of problem. */
export type SignInProblem = keyof typeof signInProblems

/** Signing in to a server failed. Never holds a token, a code or a secret. */
export class SignInError extends ProtocolError {
  readonly problem: SignInProblem

  constructor(problem: SignInProblem, server: string, detail: string, cause?: unknown) {
    const rest = detail === '' ? '' : `. ${detail}`
    super('SERVER_UNAVAILABLE', `Signing in to "${server}": ${signInProblems[problem]}${rest}`, {
      cause,
    })
    this.problem = problem
  }
}
