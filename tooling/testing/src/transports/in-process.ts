import { openInProcess } from '@mobius-mcp/protocol'
import { buildHandler } from './build-handler.ts'
import type { OpenSession } from './connection.ts'

/** Nothing between the ends, but nothing passes that a wire could not carry. */
export const openFrozen: OpenSession = async (module, options, stack) => {
  const session = openInProcess(await buildHandler(module, stack), {
    ...options,
    crossing: 'frozen',
  })
  stack.defer(() => session.close())
  return session
}
