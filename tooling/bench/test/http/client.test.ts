import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { answerEcho, listEchoTools } from '../../src/echo/answer.ts'
import { openClient, request } from '../../src/http/client.ts'
import { start as startHono } from '../../src/subjects/hono-echo.ts'
import { start as startSdk } from '../../src/subjects/sdk-http.ts'

const awkward = 'a\u2028b\u0000😀'
const question = {
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: awkward } },
}

test('a JSON answer is read', async () => {
  const subject = await startHono()
  onTestFinished(() => subject.close())
  const client = await openClient({ ...subject, dialect: 'streamable' })
  const { result } = await request(client, question)
  expect(result?.structuredContent).toEqual({ text: awkward })
})

test('a streamed answer is read, and the session ends with the client', async () => {
  const subject = await startSdk()
  onTestFinished(() => subject.close())
  const client = await openClient({ ...subject, dialect: 'streamable' })
  const { result } = await request(client, question)
  expect(result?.structuredContent).toEqual({ text: awkward })
  await client.close()
  await expect(request(client, question)).rejects.toThrow('HTTP 404')
})

test('an answer on the stream of the oldest transport is read', async () => {
  const server = await serveSse()
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = await openClient({ url: urlOf(server), dialect: 'sse', tool: 'echo' })
  const { result } = await request(client, question)
  expect(result?.structuredContent).toEqual({ text: awkward })
  await client.close()
})

/** One session's worth of HTTP with SSE. */
async function serveSse(): Promise<Server> {
  let stream: ServerResponse | undefined
  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    const answer = answerEcho(JSON.parse(await text(incoming)), listEchoTools(2))
    if (answer !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
    response.writeHead(202).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function urlOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/sse`
}
