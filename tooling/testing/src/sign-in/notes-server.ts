import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { AuthorizationServer } from './authorization-server.ts'

export interface NotesServerOptions {
  /** Whether the 401 says where the metadata is. */
  readonly challenge?: boolean
  /** Whether there is metadata about the resource at all. */
  readonly metadata?: boolean
  /** What the metadata calls the resource; its URL by default. */
  readonly resource?: string
  /** What the metadata names as the authorization server. */
  readonly authority?: string
  /** What the 401 says is needed; `notes:read` by default. */
  readonly challengeScope?: string | null
  /** What the metadata says there is to ask for. */
  readonly scopes?: readonly string[]
  /** Tells a refused caller its own token, as some do. */
  readonly echoes?: boolean
}

export interface NotesServer extends AsyncDisposable {
  readonly url: string
  /** What it was shown, in order: `<method> <token or nothing>`. */
  readonly shown: string[]
  /** The tokens among it. */
  tokens(): string[]
  /** Tokens that it takes no longer. */
  readonly refused: Set<string>
  /** A tool or method for which it takes no token at all. */
  refusedCall: string | undefined
  /** Where it sends everybody. */
  redirect: string | undefined
}

/** A server of the official SDK that lets nobody in without a token that was issued for it. */
export async function openNotesServer(
  authority: AuthorizationServer,
  options: NotesServerOptions = {},
): Promise<NotesServer> {
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const url = `${origin}/mcp`
  const shown: string[] = []
  const refused = new Set<string>()
  const metadataPath = '/.well-known/oauth-protected-resource/mcp'

  const challenge = (parts: Record<string, string>) => {
    const place = options.challenge === false ? {} : { resource_metadata: origin + metadataPath }
    const all = Object.entries({ ...parts, ...place }).map(([name, value]) => `${name}="${value}"`)
    return `Bearer ${all.join(', ')}`
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', origin)
    if (pathname === '/mcp') return await answerMcp(request, response)
    if (pathname !== metadataPath || options.metadata === false) {
      return void response.writeHead(404).end()
    }
    const { resource = url, authority: named = authority.issuer } = options
    response.writeHead(200, { 'content-type': 'application/json' })
    const document = { resource, authorization_servers: [named] }
    response.end(JSON.stringify({ ...document, scopes_supported: options.scopes }))
  }

  async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? ((await json(request)) as object) : undefined
    const name = methodOf(body) ?? request.method
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    shown.push(`${name} ${token}`)
    if (server.redirect !== undefined) {
      return void response.writeHead(307, { location: server.redirect }).end()
    }
    const scope = name === server.refusedCall ? undefined : await scopeOf(token)
    if (scope === undefined) refuseToken(token, response)
    else if (name === 'write' && !scope.split(' ').includes('notes:write')) {
      const header = challenge({ error: 'insufficient_scope', scope: 'notes:write' })
      response.writeHead(403, { 'www-authenticate': header }).end('more is needed')
    } else await serve(request, response, body)
  }

  function refuseToken(token: string, response: ServerResponse): void {
    const error = token === '' ? {} : { error: 'invalid_token' }
    const { challengeScope = 'notes:read' } = options
    const scope = challengeScope === null ? {} : { scope: challengeScope }
    const header = challenge({ ...error, ...scope })
    const said = options.echoes ? `The token ${token} is no good` : 'no'
    response.writeHead(401, { 'www-authenticate': header }).end(said)
  }

  async function scopeOf(token: string): Promise<string | undefined> {
    const found = await authority.provider.AccessToken.find(token)
    const meant = options.metadata === false || found?.aud === (options.resource ?? url)
    return found && meant && !refused.has(token) ? (found.scope ?? '') : undefined
  }

  const server: NotesServer = {
    url,
    shown,
    tokens: () => shown.flatMap((each) => each.split(' ')[1] || []),
    refused,
    refusedCall: undefined,
    redirect: undefined,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}

/** The tool that is called, else the method. */
function methodOf(body: object | undefined): string | undefined {
  const { method, params } = (body ?? {}) as { method?: string; params?: { name?: string } }
  return method === 'tools/call' ? params?.name : method
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  body: object | undefined,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const server = new McpServer({ name: 'notes', version: '1' })
  for (const name of ['read', 'write']) {
    server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `${name} done` }] }))
  }
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => void server.close())
  // The SDK's own types are not made for `exactOptionalPropertyTypes`.
  await server.connect(transport as Parameters<McpServer['connect']>[0])
  await transport.handleRequest(request, response, body)
}
