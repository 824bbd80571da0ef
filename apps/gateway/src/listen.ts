import { isIP } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { UserError } from './user-error.ts'

/** Milliseconds that open connections have to take what was written to them. */
const lastWords = 500

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Listening {
  /** `http://host:port`, as a person types it. */
  readonly url: string
  close(): Promise<void>
}

/** Reads `host:port`, `[::1]:port`, `:port` or `port`. @throws UserError naming what was expected. */
export function parseListen(text: string | undefined): Address | undefined {
  if (!text) return undefined
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535) {
    throw new UserError(
      `Cannot listen on ${JSON.stringify(text)}: expected host:port, e.g. 127.0.0.1:8420`,
    )
  }
  return { host: match[1] ?? (match[2] || '127.0.0.1'), port }
}

/**
 * Refuses an address that others can reach while nobody has to log in.
 *
 * @throws UserError naming the ways out.
 */
export function checkBind({ host }: Address, login: { keys: number; insecure: boolean }): void {
  if (isLoopback(host) || login.keys > 0 || login.insecure) return
  throw new UserError(
    `Not started: ${host} can be reached from elsewhere, and nobody has to log in. ` +
      'Set http.keys in the configuration, listen on 127.0.0.1, or say --insecure if you mean it.',
  )
}

/** Listens. @throws UserError where the port is taken or the address is not this machine's. */
export async function listen(
  fetch: (request: Request, env?: object) => Response | Promise<Response>,
  { host, port }: Address,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const actual = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${actual}`,
    close: () => close(server),
  }
}

/** What was answered a moment ago may still be on its way out: connections get a little time. */
async function close(server: ReturnType<typeof createAdaptorServer>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  if (!('closeAllConnections' in server)) return await closed
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), lastWords)
  await closed
  clearTimeout(timer)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

const reasons = new Map([
  ['EADDRINUSE', 'the port is in use by another process; choose another one with --listen'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EACCES', 'this user may not use the port; choose one above 1023'],
  ['ENOTFOUND', 'no such host'],
])

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = reasons.get(error.code ?? '') ?? error.message
  return new UserError(`Cannot listen on ${host}:${port}: ${reason}`)
}
