import { type Authenticate, type BearerKey, bearerKeys } from '@mobius-mcp/http-host'
import { localPrincipal, type Principal } from '@mobius-mcp/protocol'
import { localOperator, type OperatorSignIn } from './operator-sign-in.ts'
import type { RunningGateway } from './running-gateway.ts'

export interface AccessOptions {
  /** Those of the configuration at the moment. None at the start: everybody who can reach the port is let in. */
  keys(): readonly BearerKey[]
  readonly local: Pick<RunningGateway, 'operatorKey' | 'clientKey'>
  readonly signIn: OperatorSignIn
}

/** Who is calling: a key of the configuration, one of this machine's, or a browser that signed in. */
export function createAccess({ keys, local, signIn }: AccessOptions): Authenticate {
  // Keys come and go while the gateway runs. Whether one is needed does not change behind its back.
  const needed = keys().length > 0
  let made = { keys: keys(), known: bearerKeys(keys()) }
  const known: Authenticate = (request) => {
    const current = keys()
    if (current !== made.keys) made = { keys: current, known: bearerKeys(current) }
    return made.known(request)
  }
  // A lookup takes as long whatever it resembles: the hash of the text is salted.
  const ours = new Map<string, Principal>([
    [`Bearer ${local.operatorKey}`, localOperator],
    [`Bearer ${local.clientKey}`, localPrincipal],
  ])
  return (request) => {
    const header = request.header('authorization')
    const own = header === undefined ? signIn.authenticate(request) : ours.get(header)
    return own ?? (needed ? known(request) : localPrincipal)
  }
}
