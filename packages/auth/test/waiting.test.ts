import { createSignIn } from '@mobius-mcp/auth'
import type { FetchLike } from '@mobius-mcp/sandbox'
import { createTestClock } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'

const server = { name: 'notes', url: 'https://mcp.example/mcp' }
const ann = { id: 'ann' }
const refuse: FetchLike = async () => new Response('no', { status: 401 })

/** Never answers, until it is given up. */
const hang: FetchLike = (_url, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })

test('a call that is given up does not wait for an authorization server that never answers', async () => {
  const signIn = createSignIn({ clock: createTestClock(), fetch: hang })
  const abort = new AbortController()
  const call = signIn.layerFor(server, ann)(refuse)(server.url, { signal: abort.signal })
  abort.abort(new Error('given up'))
  await expect(call).rejects.toThrow('given up')
})

test('a server that refuses and says nothing of a sign-in is heard itself', async () => {
  const fetch: FetchLike = async () => new Response('', { status: 404 })
  const signIn = createSignIn({ clock: createTestClock(), fetch })
  const refusal = async () => new Response('Set the header X-Key', { status: 401 })
  const response = await signIn.layerFor(server, ann)(refusal)(server.url)
  expect([response.status, await response.text()]).toEqual([401, 'Set the header X-Key'])
})

test('a goodbye that is refused begins no sign-in', async () => {
  const asked: string[] = []
  const fetch: FetchLike = async (url) => {
    asked.push(String(url))
    return new Response('', { status: 404 })
  }
  const signIn = createSignIn({ clock: createTestClock(), fetch })
  const response = await signIn.layerFor(server, ann)(refuse)(server.url, { method: 'DELETE' })
  expect([response.status, asked]).toEqual([401, []])
})

describe('a server that is reached in the clear', () => {
  const inTheClear = { name: 'notes', url: 'http://mcp.example/mcp' }
  const fetch: FetchLike = () => Promise.reject(new Error('It was asked'))

  test('is not signed in to', async () => {
    const signIn = createSignIn({ clock: createTestClock(), fetch })
    const refusal = async () => {
      const header = 'Bearer resource_metadata="https://mcp.example/metadata"'
      return new Response('no', { status: 401, headers: { 'www-authenticate': header } })
    }
    await expect(signIn.layerFor(inTheClear, ann)(refusal)(inTheClear.url)).rejects.toThrow(
      'Signing in to "notes": it is not reached over https, so tokens could be read on their way. Configure its https URL.',
    )
  })

  test('may refuse for another reason, which is heard', async () => {
    const signIn = createSignIn({ clock: createTestClock(), fetch })
    expect((await signIn.layerFor(inTheClear, ann)(refuse)(inTheClear.url)).status).toBe(401)
  })
})

test('metadata is looked for in the order of the specifications', async () => {
  const asked: string[] = []
  const resource = {
    resource: 'https://mcp.example/',
    authorization_servers: ['https://as.example/t'],
  }
  const fetch: FetchLike = async (url) => {
    asked.push(String(url))
    const isRoot = String(url) === 'https://mcp.example/.well-known/oauth-protected-resource'
    return isRoot ? Response.json(resource) : new Response('', { status: 404 })
  }
  const signIn = createSignIn({ clock: createTestClock(), fetch })
  const call = signIn.layerFor({ name: 'notes', url: 'https://mcp.example/a/mcp' }, ann)(refuse)
  await expect(call('https://mcp.example/a/mcp')).rejects.toThrow(
    'Nothing at https://as.example/t says how to use it.',
  )
  expect(asked).toEqual([
    'https://mcp.example/.well-known/oauth-protected-resource/a/mcp',
    'https://mcp.example/.well-known/oauth-protected-resource',
    'https://as.example/.well-known/oauth-authorization-server/t',
    'https://as.example/.well-known/openid-configuration/t',
    'https://as.example/t/.well-known/openid-configuration',
  ])
})
