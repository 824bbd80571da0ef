import type { Answer, Channel } from './contract.ts'

/** What is asked, before it has an id. */
export interface Question {
  method: string
  params: object
}

/** The request that opens a session. */
export const initializeQuestion = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
} as const

/** The notification that follows it. */
export const initializedBody = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

/** The text of a request. */
export function toBody(id: number, question: Question): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...question })
}

/** Finds the response to `id` in a JSON body or in the events of a stream. */
export function parseAnswer(text: string, id: number): Answer {
  const candidates = text.startsWith('{') ? [text] : dataOf(text)
  for (const candidate of candidates) {
    // What came is only compared and shown, so its shape needs no more proof than its id.
    const message = JSON.parse(candidate) as Answer & { id?: unknown; method?: unknown }
    if (message.id === id && message.method === undefined) return message
  }
  throw new Error(`Expected a response to ${id}, received: ${text.slice(0, 300)}`)
}

/** One exchange over a channel, as a promise. */
export async function ask(channel: Channel, id: number, question: Question): Promise<Answer> {
  const text = await new Promise<string>((resolve, reject) => {
    channel.exchange(id, toBody(id, question), (outcome) =>
      outcome instanceof Error ? reject(outcome) : resolve(outcome),
    )
  })
  return parseAnswer(text, id)
}

/** The `data` lines of a stream's events. */
export function dataOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .filter((line) => line !== '')
}
