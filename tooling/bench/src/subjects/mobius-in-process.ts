/** Mobius without a network: a session in this process with all that is published, down to a `defineServer` tool. */
import type { Hooks } from '@mobius-mcp/hooks'
import { initialize, openInProcess } from '@mobius-mcp/protocol'
import type { InProcessSubject } from './contract.ts'
import { createMobius, publicEcho } from './mobius-service.ts'

export async function open(): Promise<InProcessSubject> {
  return await openMobius()
}

/** The same with hooks. */
export async function openMobius(hooks?: Hooks): Promise<InProcessSubject> {
  const { published, close } = createMobius(undefined, hooks)
  const session = openInProcess(published)
  await initialize(session, { info: { name: 'bench', version: '1.0.0' }, capabilities: {} })
  return {
    call: (text) => session.request('tools/call', { name: publicEcho, arguments: { text } }),
    async close() {
      await session.close()
      await close()
    },
  }
}
