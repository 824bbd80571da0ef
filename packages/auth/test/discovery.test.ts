import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, openWorld, type World } from './support/world.ts'

const arranged = {
  client_id: 'arranged',
  client_secret: 'arranged-secret-0123456789',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  application_type: 'native',
} as const

const document = 'https://mobius.example/client.json'

async function problemOf(world: World): Promise<string> {
  return (await world.failure(world.signIn.login(world.server, { principal: ann }))).message
}

describe('where to sign in is found', () => {
  test('by the challenge', async () => {
    await using world = await openWorld()
    await world.signInBy()
    expect(await world.call('read')).toBe('read done')
  })

  test('at the well-known place, where the challenge does not say', async () => {
    await using world = await openWorld({ notes: { challenge: false } })
    await world.signInBy()
    expect(await world.call('read')).toBe('read done')
  })

  test('where the authorization server speaks OpenID Connect alone', async () => {
    await using world = await openWorld({ authority: { oauthMetadata: false } })
    await world.signInBy()
    expect(world.authority.count('GET /.well-known/openid-configuration')).toBe(1)
    expect(await world.call('read')).toBe('read done')
  })

  test('where the configuration says it, and the server nothing', async () => {
    await using world = await openWorld({ notes: { metadata: false, challenge: false } })
    world.server = { ...world.server, issuer: world.authority.issuer }
    const login = await world.needed(world.call('read'))
    // Nothing says what the server calls itself, so nothing is claimed.
    expect(new URL(login.url).searchParams.has('resource')).toBe(false)
    await visit(login.url)
    expect(await world.call('read')).toBe('read done')
  })
})

describe('who we are is settled', () => {
  test('by a registration, where nothing was arranged', async () => {
    await using world = await openWorld()
    await world.signInBy()
    expect(world.authority.count('POST /reg')).toBe(1)
  })

  test('by a configured client, which wins over a registration', async () => {
    const client = { id: arranged.client_id, secret: arranged.client_secret }
    await using world = await openWorld({
      authority: { clients: [arranged] },
      server: { client },
    })
    await world.signInBy()
    expect(world.authority.count('POST /reg')).toBe(0)
    expect(await world.call('read')).toBe('read done')
    await world.clock.advance(3_600_000)
    expect(await world.call('read')).toBe('read done')
    expect(world.refreshes()).toBe(1)
  })

  test('by a document of our own, where such are read', async () => {
    const { client_secret: _, ...metadata } = arranged
    const known = { ...metadata, client_id: document, token_endpoint_auth_method: 'none' }
    await using world = await openWorld({
      authority: { clientDocuments: { [document]: known } },
      server: { clientMetadataUrl: document },
    })
    const login = await world.needed(world.call('read'))
    expect(new URL(login.url).searchParams.get('client_id')).toBe(document)
    expect((await visit(login.url)).status).toBe(200)
    expect(world.authority.count('POST /reg')).toBe(0)
    expect(await world.call('read')).toBe('read done')
  })

  test('or it cannot be, and what to do is said', async () => {
    await using world = await openWorld({ authority: { registration: false } })
    expect(await problemOf(world)).toMatch(
      /would not register this client\. http:\S+ takes no registrations\. Register a client there by hand, and configure its id\.$/,
    )
  })
})

describe('a server is not signed in to', () => {
  test('whose authorization server does not say that it supports PKCE', async () => {
    const metadata = ({ code_challenge_methods_supported: _, ...rest }: Record<string, unknown>) =>
      rest
    await using world = await openWorld({ authority: { metadata } })
    expect(await problemOf(world)).toMatch(
      /^Signing in to "notes": its authorization server is not safe to use\. \S+ does not say that it supports PKCE with S256\.$/,
    )
  })

  test('whose authorization server’s metadata is somebody else’s', async () => {
    const metadata = (document: object) => ({ ...document, issuer: 'https://evil.example' })
    await using world = await openWorld({ authority: { metadata } })
    expect(await problemOf(world)).toMatch(/is that of https:\/\/evil\.example\./)
  })

  test('whose authorization server would be sent secrets in the clear', async () => {
    const metadata = (document: object) => ({
      ...document,
      token_endpoint: 'http://token.example/token',
    })
    await using world = await openWorld({ authority: { metadata } })
    expect(await problemOf(world)).toMatch(
      /Its token_endpoint is http:\/\/token\.example\/token; it must be https\.$/,
    )
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://open'])(
    'whose authorization server would have %s opened',
    async (authorization_endpoint) => {
      const metadata = (document: object) => ({ ...document, authorization_endpoint })
      await using world = await openWorld({ authority: { metadata } })
      expect(await problemOf(world)).toContain('Its authorization_endpoint is')
    },
  )

  test('whose metadata speaks of another server', async () => {
    await using world = await openWorld({ notes: { resource: 'https://other.example/mcp' } })
    expect(await problemOf(world)).toMatch(
      /Its metadata speaks of https:\/\/other\.example\/mcp, which is not http:\S+\/mcp\.$/,
    )
  })
})

describe('what a server points to is not fetched', () => {
  test.each([
    ['a server on the Internet', '198.41.0.4', 'a private network', 'https://10.0.0.8'],
    ['a server on the Internet', '198.41.0.4', 'this machine', 'https://127.0.0.1:9'],
    ['a server on the Internet', '198.41.0.4', 'cloud metadata', 'https://169.254.169.254'],
    ['a server in a private network', '10.0.0.7', 'this machine', 'https://127.0.0.1:9'],
    ['a server in a private network', '10.0.0.7', 'cloud metadata', 'https://169.254.169.254'],
    ['a server on this machine', '127.0.0.1', 'a private network', 'https://10.0.0.8'],
  ])('by %s (%s) in %s', async (_server, address, _place, place) => {
    const lookup = async () => [{ address, family: 4 }]
    const url = 'https://mcp.example/mcp'
    await using world = await openWorld({ signIn: { guard: { lookup } }, server: { url } })
    const fetch = world.signIn.layerFor(
      world.server,
      ann,
    )(async () => {
      const header = `Bearer resource_metadata="${place}/metadata"`
      return new Response('no', { status: 401, headers: { 'www-authenticate': header } })
    })
    const error = await world.failure(fetch(url, { method: 'POST' }))
    expect(error).toMatchObject({ problem: 'DISCOVERY_FAILED' })
    expect(error.message).toContain('only public addresses are fetched from')
  })
})
