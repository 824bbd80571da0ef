import { timingSafeEqual } from 'node:crypto'
import type { HttpHost, HttpRequest } from '@mobius-mcp/http-host'
import { operatorScope } from '@mobius-mcp/permissions'
import { localPrincipal, type Principal } from '@mobius-mcp/protocol'
import { createKey } from './running-gateway.ts'

/** A browser that becomes the operator's, by the token in the printed address. */
export interface OperatorSignIn {
  /** Good for one use. */
  readonly token: string
  /** Knows a browser that has signed in. */
  readonly authenticate: (request: HttpRequest) => Principal | undefined
  /** Adds the address that the token leads to. */
  mount(app: HttpHost['app']): void
}

const cookie = 'mobius-operator'

/** The person at this machine, as an operator: nobody else than who calls from here, so sign-ins hold for both. */
export const localOperator: Principal = { ...localPrincipal, scopes: [operatorScope] }

/** Makes a token; whoever shows it first is the operator until the gateway ends. */
export function createOperatorSignIn(): OperatorSignIn {
  const token = createKey()
  const session = createKey()
  let used = false
  return {
    token,
    authenticate(request) {
      const shown = readCookie(request.header('cookie'))
      return shown !== undefined && isEqual(shown, session) && isOwnPage(request)
        ? localOperator
        : undefined
    },
    mount(app) {
      app.get('/operator', (context) => {
        context.header('cache-control', 'no-store')
        context.header('referrer-policy', 'no-referrer')
        const shown = context.req.query('token') ?? ''
        if (used || !isEqual(shown, token)) {
          return context.text(
            'This address does not sign anybody in: it works once, and only until the gateway ends. Start the gateway again for another one, or use the mobius command on the machine that it runs on.\n',
            403,
          )
        }
        used = true
        context.header(
          'set-cookie',
          `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict${isSecure(context.req.url) ? '; Secure' : ''}`,
        )
        return context.text(
          'This browser is the operator’s now, until the gateway ends: what it sends to /mcp may answer questions, add and remove servers, and reload the configuration.\n',
        )
      })
    },
  }
}

/**
 * A cookie comes with requests of every page on the same machine, whichever port the page is from:
 * those of others count for nothing.
 */
function isOwnPage(request: HttpRequest): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = request.header('origin')
  return origin === undefined || origin === new URL(request.url).origin
}

function isSecure(url: string): boolean {
  return url.startsWith('https:')
}

function readCookie(header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2)
    if (name === cookie) return value
  }
  return undefined
}

function isEqual(shown: string, expected: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
