import { type MessageHandler, openRelay } from '@mobius-mcp/protocol'
import { serveStdio } from '@mobius-mcp/protocol/stdio'
import { assemble } from '../assemble.ts'
import { wireTo } from '../attach.ts'
import { CommandConfiguration } from '../command-configuration.ts'
import type { ConfigOptions } from '../program.ts'
import { findAttachable } from '../reach.ts'
import type { RunningGateway } from '../running-gateway.ts'
import { untilSignal } from '../until-signal.ts'

/**
 * `mobius stdio`: serves the client at the other end of stdin and stdout until it goes away; from
 * the running gateway where there is one, whose servers and rules it shares.
 */
export async function stdio(options: ConfigOptions): Promise<number> {
  const configuration = new CommandConfiguration(options)
  const running = await findAttachable(configuration)
  if (running) return await relayTo(running)
  await using gateway = await assemble({ ...options, configuration, stays: true })
  return await serve(gateway.published)
}

async function relayTo(running: RunningGateway): Promise<number> {
  const closing = new AbortController()
  const wire = await wireTo(running, '/mcp', 'client')
  const handler = await openRelay(wire, closing.signal)
  try {
    return await serve(handler)
  } finally {
    closing.abort()
  }
}

async function serve(handler: MessageHandler): Promise<number> {
  const session = await serveStdio(handler)
  const ended = new Promise<void>((resolve) => {
    session.ending.listen({ onCancel: () => resolve() })
  })
  await Promise.race([ended, untilSignal()])
  await session.close('mobius is stopping')
  return 0
}
