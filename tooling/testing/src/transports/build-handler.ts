import { type MessageHandler, refusingCaller } from '@mobius-mcp/protocol'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { loadDefinition } from './connection.ts'

/** Builds the server of a module in this process; it ends, and its folder goes, with the stack. */
export async function buildHandler(
  module: URL,
  stack: AsyncDisposableStack,
): Promise<MessageHandler> {
  const folder = stack.use(await openTemporaryFolder())
  const closing = new AbortController()
  stack.defer(() => closing.abort())
  const definition = await loadDefinition(module)
  return await definition.create({
    folder: folder.path,
    closing: closing.signal,
    callerFor: () => refusingCaller,
  })
}
