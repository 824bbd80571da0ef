import {
  initialize,
  type JsonObject,
  type MessageHandler,
  openSession,
  type Session,
  type Wire,
} from '@mobius-mcp/protocol'
import { connect } from '@mobius-mcp/transports'
import { findRunning, type RunningGateway } from './running-gateway.ts'
import { UserError } from './user-error.ts'
import { version } from './version.ts'

/** In whose name a command speaks to a running gateway. */
export type Caller = 'operator' | 'client'

/** A wire to one address of a running gateway, not started yet: as an operator, or as any client. */
export async function wireTo(running: RunningGateway, path: string, as: Caller): Promise<Wire> {
  const key = as === 'operator' ? running.operatorKey : running.clientKey
  const headers = { authorization: `Bearer ${key}` }
  return await connect({ type: 'http', url: `${running.url}${path}`, headers })
}

/** The client that a command is. */
export interface CommandClient {
  /** What it can be asked. */
  readonly capabilities: JsonObject
  /** Answers what servers ask, and hears what they say. */
  readonly handler: MessageHandler
}

/** One that only asks. */
export const askingClient: CommandClient = {
  capabilities: {},
  handler: { onMessage: () => ({}) },
}

/** A conversation with a running gateway. Who is done closes it. */
export async function attach(
  running: RunningGateway,
  path: string,
  as: Caller = 'operator',
  client: CommandClient = askingClient,
): Promise<Session> {
  const wire = await wireTo(running, path, as)
  return await introduce(await openSession(wire, client.handler), client)
}

/** The handshake of a command. Without one there is no conversation. */
export async function introduce(
  session: Session,
  { capabilities }: CommandClient = askingClient,
): Promise<Session> {
  try {
    await initialize(session, { info: { name: 'mobius command', version }, capabilities })
    return session
  } catch (error) {
    await session.close()
    throw error
  }
}

/**
 * Talks to the gateway that runs on a state folder, as its operator, through one of its servers.
 *
 * @throws UserError where none runs: `purpose` says what it is needed for.
 */
export async function withRunning<T>(
  state: string,
  { server, purpose }: { readonly server: string; readonly purpose: string },
  use: (session: Session, running: RunningGateway) => Promise<T>,
): Promise<T> {
  const running = await findRunning(state)
  if (!running) {
    throw new UserError(
      `Cannot ${purpose}: no gateway runs on the state folder ${state}. Start one with \`mobius serve\`, or name another folder with --state`,
    )
  }
  const session = await attach(running, `/mcp/s/${encodeURIComponent(server)}`)
  try {
    return await use(session, running)
  } finally {
    await session.close()
  }
}
