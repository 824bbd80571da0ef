import type { Answer, Client, Target } from './contract.ts'
import { ask, type Question } from './message.ts'
import { openSseClient } from './sse-client.ts'
import { openStreamableClient } from './streamable-client.ts'

/** Opens a session by initialize; rejects when nobody answers. */
export function openClient(target: Target): Promise<Client> {
  return target.dialect === 'sse' ? openSseClient(target.url) : openStreamableClient(target.url)
}

/** Sends one request, outside any measurement, over a channel of its own. */
export async function request(client: Client, question: Question): Promise<Answer> {
  const channel = await client.openChannel()
  try {
    return await ask(channel, client.nextId(), question)
  } finally {
    channel.close()
  }
}
