import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Child, Processes } from './processes.ts'

/** Where a target runs: what it starts ends with `processes`, what it writes goes to `folder`. */
export interface Environment {
  processes: Processes
  folder: string
}

const limitMs = 20_000

/** Starts a fixture on a free loopback port and returns the URL of its MCP endpoint. */
export async function startFixture({ processes }: Environment, program: URL): Promise<string> {
  const port = await findFreePort()
  const child = processes.start(process.execPath, [...sourceArgs(program), '--port', `${port}`])
  // By name, because the suite's rebinding scenario wants one.
  const url = `http://localhost:${port}/mcp`
  await waitUntilAnswering(url, child)
  return url
}

/** What Node is given to run a program from source. */
export function sourceArgs(program: URL): string[] {
  return ['--conditions=@mobius-mcp/source', fileURLToPath(program)]
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port was assigned.')
  return address.port
}

/** Waits until `url` answers, even by a refusal; throws as soon as `child` ends before that. */
export async function waitUntilAnswering(url: string, child: Child): Promise<void> {
  const waiting = new AbortController()
  const ended = child.exited.then((exit) => {
    throw new Error(
      `It ended with ${exit} before it answered at ${url}:\n${child.output().slice(-4000)}`,
    )
  })
  try {
    await Promise.race([ended, poll(url, waiting.signal)])
  } finally {
    waiting.abort()
  }
}

async function poll(url: string, stop: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([stop, deadline])
  while (!stop.aborted) {
    if (deadline.aborted) throw new Error(`Nothing answered at ${url} within ${limitMs / 1000} s.`)
    if (await isAnswering(url, signal)) return
    await sleep(50)
  }
}

async function isAnswering(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal })
    await response.body?.cancel()
    return response.status < 500
  } catch {
    return false
  }
}
