import { SignInError } from './errors.ts'
import type { LoginPlan } from './login-plan.ts'
import { toPlainText } from './plain-text.ts'
import type { RemoteServer } from './remote-server.ts'

/**
 * Reads what the browser brought back. RFC 9207: who answers must be who was asked, `issuer`, or a
 * code for one server is shown to another.
 *
 * @throws SignInError
 */
export function readCode(
  { server, authority: { metadata } }: Pick<LoginPlan, 'server' | 'authority'>,
  issuer: string,
  parameters: URLSearchParams,
): string {
  const iss = parameters.getAll('iss')
  if (iss.length > 1 || (iss.length === 1 && iss[0] !== issuer)) {
    throw callbackRefused(
      server,
      `It is not from ${toPlainText(issuer)}, where the browser was sent.`,
    )
  }
  if (iss.length === 0 && metadata.authorization_response_iss_parameter_supported) {
    throw callbackRefused(
      server,
      `It does not say that it is from ${toPlainText(issuer)}, as that always does.`,
    )
  }
  const error = parameters.get('error')
  if (error !== null) {
    const description = parameters.get('error_description') ?? ''
    const said = toPlainText(description === '' ? error : `${error}: ${description}`)
    const problem = error === 'access_denied' ? 'LOGIN_CANCELLED' : 'TOKENS_REFUSED'
    throw new SignInError(problem, server.name, `Its authorization server said ${said}.`)
  }
  const [code = '', ...more] = parameters.getAll('code')
  if (code === '' || more.length > 0) throw callbackRefused(server, 'It holds no code.')
  return code
}

/** What the browser brought back is not an answer to what was asked. */
export function callbackRefused(server: RemoteServer, detail: string): SignInError {
  return new SignInError('CALLBACK_REFUSED', server.name, detail)
}
