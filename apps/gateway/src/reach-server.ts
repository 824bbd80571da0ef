import type { FetchLayer, RemoteServer } from '@mobius-mcp/auth'
import { type ConnectionSettings, revealConnection } from '@mobius-mcp/config'
import { isAuthNeeded, localPrincipal, ProtocolError } from '@mobius-mcp/protocol'
import type { Connect, ExternalServer } from '@mobius-mcp/tools-service'
import { connect as connectTo, type LogLine } from '@mobius-mcp/transports'
import type { LazySignIn } from './lazy-sign-in.ts'
import type { Variables } from './variables.ts'

/**
 * Makes attempts to reach servers of the configuration, signed in to those that want to know who
 * calls. `onLine` is told of each line that a server itself wrote beside the protocol.
 */
export function createConnect(
  signIn: LazySignIn,
  variables: Pick<Variables, 'of'>,
  onLine: (server: string, line: string) => void = () => {},
): Connect {
  return async (server, { principal, signal, log }) => {
    const connection = revealConnection(connectionOf(server), variables.of(principal))
    const note = (line: LogLine) => {
      const text = describeLine(line)
      log(text)
      if (line.source !== 'wire') onLine(server.name, text)
    }
    const environment = { signal, log: note }
    const remote = toRemoteServer(server)
    if (connection.type === 'stdio' || !remote) return await connectTo(connection, environment)
    const signer = await signIn.open()
    const auth =
      server.sharing === 'process'
        ? forEverybody(server.name, signer.layerFor(remote, localPrincipal))
        : signer.layerFor(remote, principal)
    return await connectTo({ ...connection, auth }, environment)
  }
}

/**
 * A connection that everybody shares is signed in by the operator of the machine, or not at all:
 * what one caller signs in to is not for the others, so no caller is shown where to.
 */
function forEverybody(name: string, layer: FetchLayer): FetchLayer {
  return (next) => {
    const signed = layer(next)
    return async (url, init) => {
      try {
        return await signed(url, init)
      } catch (error) {
        if (!isAuthNeeded(error)) throw error
        throw new ProtocolError(
          'SERVER_UNAVAILABLE',
          `everybody shares one connection to it, which an operator has to sign in: mobius login ${name}`,
        )
      }
    }
  }
}

/** A server as signing in sees it; `undefined` where there is nothing to sign in to. */
export function toRemoteServer(server: ExternalServer): RemoteServer | undefined {
  const connection = connectionOf(server)
  if (connection.type === 'stdio') return undefined
  const { oauth } = connection
  const revealed = revealConnection(connection)
  if (revealed.type === 'stdio') return undefined
  return {
    name: server.name,
    url: revealed.url,
    scopes: oauth?.scopes,
    issuer: oauth?.issuer,
    clientMetadataUrl: oauth?.clientMetadataUrl,
    ...(oauth?.clientId === undefined
      ? {}
      : {
          client: {
            id: oauth.clientId,
            secret: oauth.clientSecret?.reveal(),
            redirectUri:
              oauth.callbackPort === undefined
                ? undefined
                : `http://127.0.0.1:${oauth.callbackPort}/callback`,
          },
        }),
  }
}

/** What stands on stdout and is no message is why many a server does not work: it is called so. */
const stdoutNoise = 'On stdout, where only MCP may stand: '

export function isStdoutNoise(line: string): boolean {
  return line.startsWith(stdoutNoise)
}

function describeLine({ source, text }: LogLine): string {
  return source === 'stdout' ? `${stdoutNoise}${text}` : text
}

function connectionOf({ connection }: ExternalServer): ConnectionSettings {
  return connection as ConnectionSettings
}
