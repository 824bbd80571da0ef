import { EventStream } from './event-stream.ts'
import type { IncomingRequest } from './http-request.ts'
import type { Reply } from './reply.ts'

const allowedMethods = 'GET, POST, DELETE, OPTIONS'
const allowedHeaders = ['authorization', 'content-type', 'accept', 'last-event-id']
const mcpHeader = /^mcp-[a-z\d-]+$/

/** Answers a browser's question whether a page may call; its origin was found allowed. */
export function answerPreflight(request: IncomingRequest): Response {
  const wanted = request.header('access-control-request-headers') ?? ''
  const named = wanted
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => mcpHeader.test(name))
  const headers = new Set([...allowedHeaders, 'mcp-session-id', 'mcp-protocol-version', ...named])
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': [...headers].join(', '),
      'access-control-max-age': '7200',
      vary: 'Origin, Access-Control-Request-Headers',
      allow: allowedMethods,
    },
  })
}

/** Lets the page that asked read the answer: that origin alone, and without cookies. */
export function allowOrigin<T extends Reply>(reply: T, origin: string): T {
  const names = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
  }
  if (reply instanceof EventStream) {
    reply.headers = { ...reply.headers, ...names, vary: 'Origin' }
    return reply
  }
  for (const [name, value] of Object.entries(names)) reply.headers.set(name, value)
  reply.headers.append('vary', 'Origin')
  return reply
}
