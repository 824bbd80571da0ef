import { openSession } from '@mobius-mcp/protocol'
import { connect } from '@mobius-mcp/transports'
import { nodeCommand } from '../node-program.ts'
import type { OpenSession } from './connection.ts'

const program = new URL('./stdio-program.ts', import.meta.url)

/** A child process. */
export const openStdio: OpenSession = async (module, { client, ...options }, stack) => {
  const wire = await connect({ type: 'stdio', ...nodeCommand(program, module.href) })
  const session = await openSession(wire, client, options)
  stack.defer(() => session.close())
  return session
}
