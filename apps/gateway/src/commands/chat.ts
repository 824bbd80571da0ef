import type { ConfigOptions } from '../program.ts'
import { useGateway } from '../use-gateway.ts'

export interface ChatOptions extends ConfigOptions {
  thread?: string
  json?: boolean
}

/**
 * `mobius chat`: in a terminal a conversation with an agent, else one prompt from stdin and its answer
 * on stdout. Through the running gateway where there is one.
 */
export async function chat(agent: string | undefined, options: ChatOptions): Promise<number> {
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
