import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient, request } from './client.ts'
import type { Target } from './contract.ts'
import { within } from './within.ts'

/** Some accept a request before they can answer it, and then never do. */
const attemptTimeout = 2_000

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('No free port was given.')
  return address.port
}

/** Asks until `tools/list` is answered with the echo and at least so many tools; answers the list's names. */
export async function untilServing(
  target: Target,
  { tools, timeout }: { tools: number; timeout: number },
): Promise<string[]> {
  const deadline = performance.now() + timeout
  let last: unknown
  while (performance.now() < deadline) {
    try {
      const names = await within(attemptTimeout, 'tools/list', listTools(target))
      if (names.length >= tools && names.includes(target.tool)) return names
      last = `it listed ${names.length} tools: ${names.slice(0, 5).join(', ')}`
    } catch (error) {
      last = error
    }
    await sleep(2)
  }
  throw new Error(`${target.url} did not list ${tools} tools with ${target.tool} in time: ${last}`)
}

async function listTools(target: Target): Promise<string[]> {
  const client = await openClient(target)
  try {
    const { result, error } = await request(client, { method: 'tools/list', params: {} })
    if (error !== undefined) throw new Error(error.message)
    // A list of another shape fails here and is asked for again.
    return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name)
  } finally {
    await client.close()
  }
}
