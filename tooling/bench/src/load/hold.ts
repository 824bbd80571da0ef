import { request } from '../http/client.ts'
import type { Target } from '../http/contract.ts'
import { openStreamableClient, type StreamableClient } from '../http/streamable-client.ts'

/** Sessions that are opened and then left alone. */
export interface Hold {
  target: Target
  sessions: number
  /** Whether each has an open GET stream. */
  streams: boolean
  /** How many calls each made before it was left alone. */
  calls: number
}

/** What is held; ending it ends every session on the server. */
export interface Held {
  end(): Promise<void>
}

const atOnce = 8

export async function holdSessions({ target, sessions, streams, calls }: Hold): Promise<Held> {
  const closers: (() => Promise<void>)[] = []
  await eachOf(sessions, async () => {
    const client = await openStreamableClient(target.url)
    closers.push(() => client.close())
    for (let call = 0; call < calls; call++) await callOnce(client, target.tool)
    if (!streams) return
    const stream = await client.openStream()
    closers.push(async () => stream.close())
  })
  return {
    async end() {
      await eachOf(closers.length, async (index) => closers[index]?.())
    },
  }
}

async function callOnce(client: StreamableClient, tool: string): Promise<void> {
  const params = { name: tool, arguments: { text: 'hello' } }
  const { result, error } = await request(client, { method: 'tools/call', params })
  if (error !== undefined || result?.isError === true) {
    throw new Error(`${tool} failed: ${JSON.stringify(error ?? result)}`)
  }
}

async function eachOf(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  async function worker(): Promise<void> {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
