import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { counterpart } from './installed.ts'

/** server-everything behind Streamable HTTP. */
export interface EverythingOverHttp extends AsyncDisposable {
  readonly url: string
}

/** Starts server-everything's `streamableHttp` on a free port. */
export async function openEverythingOverHttp(): Promise<EverythingOverHttp> {
  const port = await freePort()
  const child = spawn(counterpart('mcp-server-everything'), ['streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stderr })
  await Promise.race([
    untilLine(lines, /listening on port/),
    exited.then(() => {
      throw new Error('server-everything ended before it listened')
    }),
  ])
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('No port is free')
  return address.port
}

async function untilLine(lines: AsyncIterable<string>, pattern: RegExp): Promise<void> {
  for await (const line of lines) if (pattern.test(line)) return
  throw new Error(`No line matched ${pattern}`)
}
