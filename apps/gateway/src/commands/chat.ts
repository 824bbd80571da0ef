import { isProtocolError } from '@mobius-mcp/protocol'
import { showText } from '@mobius-mcp/telemetry'
import type { ConfigOptions } from '../program.ts'
import { useGateway } from '../use-gateway.ts'
import { UserError } from '../user-error.ts'

export interface ChatOptions extends ConfigOptions {
  thread?: string
  json?: boolean
}

/**
 * `mobius chat`: in a terminal a conversation with an agent, else one prompt from stdin and its answer
 * on stdout. Through the running gateway where there is one.
 */
export async function chat(agent: string | undefined, options: ChatOptions): Promise<number> {
  try {
    return await chatAnyhow(agent, options)
  } catch (error) {
    // The gateway, or what it needs, cannot be had: that is nobody's slip on the command line.
    if (isProtocolError(error)) throw new UserError(showText(error.message, 2000), 1)
    throw error
  }
}

async function chatAnyhow(agent: string | undefined, options: ChatOptions): Promise<number> {
  const { stdin, stdout } = process
  const { thread, json = false } = options
  const isTerminal = stdin.isTTY && stdout.isTTY && !json
  await using gateway = await useGateway({ ...options, asks: isTerminal ? 'command' : 'terminal' })
  if (!isTerminal) {
    const { sayOnce } = await import('../chat/say-once.ts')
    return await sayOnce(gateway, { agent, thread, json })
  }
  const { talk } = await import('../chat/talk.ts')
  return await talk(gateway, { agent, thread })
}
