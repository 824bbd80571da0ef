import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Endpoint } from './target.ts'

/** How to start a probe that a client, or a gateway, talks to over stdio. */
export function probeCommand(env: Record<string, string>): Extract<Endpoint, { kind: 'stdio' }> {
  const main = fileURLToPath(new URL('../probe/main.ts', import.meta.url))
  return { kind: 'stdio', command: process.execPath, args: [main, 'stdio'], env }
}

/** A probe that serves Streamable HTTP. */
export interface HttpProbe extends AsyncDisposable {
  readonly url: string
  /** Starts it again at the same address, after it was killed. */
  restart(): Promise<void>
}

/** Starts a probe on a free port, with more environment variables. */
export async function openHttpProbe(env: Record<string, string>): Promise<HttpProbe> {
  let running = await start(env)
  const { url } = running
  return {
    url,
    async restart() {
      await running.stop()
      running = await start({ ...env, PROBE_PORT: new URL(url).port })
    },
    [Symbol.asyncDispose]: () => running.stop(),
  }
}

async function start(
  env: Record<string, string>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { command, args } = probeCommand({})
  const child = spawn(command, [...args.slice(0, -1), 'http'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => {
      throw new Error(`The probe ended with ${code} before it said its address.`)
    }),
  ])
  const { url } = JSON.parse(String(line)) as { url: string }
  return { url, stop }
}
