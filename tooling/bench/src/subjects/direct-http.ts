/** The minimal Streamable HTTP server: an upstream for gateways, and by itself the baseline "no gateway". */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerEcho, listEchoTools } from '../echo/answer.ts'
import type { HttpSubject } from './contract.ts'

export async function start(): Promise<HttpSubject> {
  const tools = listEchoTools(2)
  const server = createServer((request, response) => void answer(request, response, tools))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    tool: 'echo',
    async close() {
      server.close()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tools: object[],
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 204 : 405).end()
    return
  }
  const answered = answerEcho(JSON.parse(await text(request)), tools)
  if (answered === undefined) {
    response.writeHead(202).end()
    return
  }
  const body = JSON.stringify(answered)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'mcp-session-id': 'bench',
  })
  response.end(body)
}
