import { serveStdio } from '@mobius-mcp/protocol/stdio'
import { assemble } from '../assemble.ts'
import type { CommonOptions } from '../program.ts'
import { untilSignal } from '../until-signal.ts'

/** `mobius stdio`: serves the client at the other end of stdin and stdout until it goes away. */
export async function stdio(config: string | undefined, options: CommonOptions): Promise<number> {
  await using gateway = await assemble(config, options)
  const session = await serveStdio(gateway.published)
  const ended = new Promise<void>((resolve) => {
    session.ending.listen({ onCancel: () => resolve() })
  })
  await Promise.race([ended, untilSignal()])
  await session.close('mobius is stopping')
  return 0
}
