import { spawn } from 'node:child_process'
import { isLoopback } from './remote-server.ts'

export interface BrowserOptions {
  /** The system to open it on; this one by default. */
  readonly platform?: NodeJS.Platform | undefined
  /** Starts a program, and resolves once it runs; by default without a shell, and detached. */
  readonly start?: ((command: string, args: readonly string[]) => Promise<void>) | undefined
}

/**
 * Opens a URL in the browser of whoever sits at this machine, for `openUrl` of `createSignIn`.
 * Rejects where there is none, and for what no sign-in has: other schemes than https, and than http
 * to this machine.
 */
export async function openBrowser(url: string, options: BrowserOptions = {}): Promise<void> {
  const { platform = process.platform, start = startDetached } = options
  const { protocol, hostname, href } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    throw new TypeError(`A browser is opened for https alone; received ${protocol}`)
  }
  const [command, ...args] = openers[platform] ?? ['xdg-open']
  await start(command, [...args, href])
}

// No shell sees the URL: `start` of cmd.exe would take what follows an ampersand for a command.
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

async function startDetached(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { detached: true, stdio: 'ignore' })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  child.unref()
}
