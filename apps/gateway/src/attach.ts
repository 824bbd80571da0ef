import { initialize, openSession, type Session, type Wire } from '@mobius-mcp/protocol'
import { connect } from '@mobius-mcp/transports'
import type { RunningGateway } from './running-gateway.ts'
import { version } from './version.ts'

/** A wire to one address of a running gateway, not started yet: as an operator, or as any client. */
export async function wireTo(
  running: RunningGateway,
  path: string,
  as: 'operator' | 'client',
): Promise<Wire> {
  const key = as === 'operator' ? running.operatorKey : running.clientKey
  const headers = { authorization: `Bearer ${key}` }
  return await connect({ type: 'http', url: `${running.url}${path}`, headers })
}

/** A conversation with a running gateway, as its operator. Who is done closes it. */
export async function attach(running: RunningGateway, path: string): Promise<Session> {
  const wire = await wireTo(running, path, 'operator')
  const session = await openSession(wire, { onMessage: () => ({}) })
  try {
    await initialize(session, { info: { name: 'mobius command', version }, capabilities: {} })
  } catch (error) {
    await session.close()
    throw error
  }
  return session
}
