import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ann, callTool, openWorld } from './support/world.ts'

/** Somebody else's server, which remembers what it was sent. */
async function openStranger() {
  const sent: string[] = []
  const http = createServer((request: IncomingMessage, response) => {
    sent.push(JSON.stringify([request.method, request.url, request.headers]))
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    sent,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

describe('a token', () => {
  test('is not sent to where the server redirects', async () => {
    await using stranger = await openStranger()
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    world.notes.redirect = `${stranger.origin}/mcp`
    await world.failure(callTool(session, 'read'))
    const layer = world.signIn.layerFor(world.server, ann)
    await layer(fetch)(world.notes.url, { method: 'GET' })
    await layer(fetch)(`${stranger.origin}/mcp`, { method: 'GET' })
    expect(stranger.sent).toHaveLength(2)
    expect(stranger.sent.join()).not.toContain('authorization')
  })

  test('and a code are not sent to where the authorization server redirects', async () => {
    await using stranger = await openStranger()
    await using world = await openWorld()
    world.authority.intercept = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(307, { location: `${stranger.origin}/token` }).end()
      return true
    }
    await expect(world.signInBy()).rejects.toThrow()
    expect(stranger.sent).toEqual([])
  })

  test('is sent to the server that it was issued for alone', async () => {
    await using stranger = await openStranger()
    await using world = await openWorld()
    await world.signInBy()
    const other = { name: 'other', url: `${stranger.origin}/mcp` }
    const call = world.signIn.layerFor(other, ann)(fetch)
    expect((await call(other.url)).status).toBe(404)
    expect(stranger.sent.join()).not.toContain('authorization')
  })
})
