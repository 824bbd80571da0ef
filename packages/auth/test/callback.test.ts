import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { SignInError } from '@mobius-mcp/auth'
import { visit, visitUntilCallback } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, bob, openWorld, type World } from './support/world.ts'

const tenMinutes = 600_000

/** A sign-in by command, with the URL that was shown and how it ends. */
async function begin(world: World, signal?: AbortSignal) {
  const { promise: shown, resolve: onUrl } = Promise.withResolvers<string>()
  const login = world.signIn.login(world.server, { principal: ann, onUrl, signal })
  const ended = world.failure(login)
  const url = await Promise.race([shown, ended])
  if (url instanceof Error) throw url
  return { url, login, ended }
}

async function statusOf(url: URL): Promise<number> {
  const response = await fetch(url)
  const text = await response.text()
  // Nothing of what the browser brought is repeated.
  for (const value of url.searchParams.values()) expect(text).not.toContain(value)
  return response.status
}

function change(url: URL, change: (parameters: URLSearchParams) => void): URL {
  const changed = new URL(url)
  change(changed.searchParams)
  return changed
}

/** Asks the way a page does that has made its own name mean this machine. */
async function askAs(host: string, url: URL, method = 'GET'): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    request(url, { method, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('a sign-in by command', () => {
  test('resolves when somebody has signed in', async () => {
    await using world = await openWorld()
    const { url, login } = await begin(world)
    await visit(url)
    await login
    expect(await world.call('read')).toBe('read done')
  })

  test('shows the same URL as the call that needed it', async () => {
    await using world = await openWorld()
    const needed = await world.needed(world.call('read'))
    const { url, login } = await begin(world)
    expect(url).toBe(needed.url)
    await visit(url)
    await login
    expect(await needed.done).toBe(true)
  })

  test('opens a browser where there is one, and goes on where it does not open', async () => {
    const opened: string[] = []
    const openUrl = async (url: string) => {
      opened.push(url)
      throw new Error('no browser here')
    }
    await using world = await openWorld({ signIn: { openUrl } })
    const { url, login } = await begin(world)
    expect(opened).toEqual([url])
    await visit(url)
    await login
  })

  test('ends where the person says no', async () => {
    await using world = await openWorld()
    world.authority.person = 'refuses'
    const { url, ended } = await begin(world)
    const { status, text } = await visit(url)
    expect([status, text]).toEqual([400, expect.stringContaining('Not signed in')])
    const error = await ended
    expect(error).toMatchObject({ problem: 'LOGIN_CANCELLED' })
    expect(error.message).toMatchInlineSnapshot(
      `"Signing in to "notes": the sign-in was given up. Its authorization server said access_denied: The person said no."`,
    )
    const status_ = await world.signIn.status(world.server, { principal: ann })
    expect(status_).toEqual({ state: 'signed-out' })
  })

  test('ends where nobody comes back in time, and its callback with it', async () => {
    await using world = await openWorld()
    const { url, ended } = await begin(world)
    const callback = await visitUntilCallback(url)
    await world.clock.advance(tenMinutes)
    const error = await ended
    expect(error).toMatchObject({ problem: 'LOGIN_TIMEOUT' })
    expect(error.message).toMatchInlineSnapshot(
      `"Signing in to "notes": nobody finished the sign-in in time. It waited 600 s."`,
    )
    await expect(fetch(callback)).rejects.toThrow('fetch failed')
    expect(world.authority.grants).toEqual([])
    expect(world.clock.timers).toBe(0)
  })

  test('ends where whoever asked for it takes it back', async () => {
    await using world = await openWorld()
    const abort = new AbortController()
    const { ended } = await begin(world, abort.signal)
    abort.abort()
    expect(await ended).toMatchObject({ problem: 'LOGIN_CANCELLED' })
    expect(world.clock.timers).toBe(0)
  })

  test('is not possible at a server that does not say where', async () => {
    await using world = await openWorld({ notes: { metadata: false, challenge: false } })
    const error = await world.failure(world.signIn.login(world.server, { principal: ann }))
    expect(error).toMatchObject({ problem: 'NO_AUTHORIZATION_SERVER' })
    expect(error.message).toMatchInlineSnapshot(
      `"Signing in to "notes": it does not say where to sign in. If it wants a key, configure a header."`,
    )
  })
})

describe('a call that needed a sign-in', () => {
  test('is told that nobody came, and the next one gets a new URL', async () => {
    await using world = await openWorld()
    const login = await world.needed(world.call('read'))
    await world.clock.advance(tenMinutes)
    expect(await login.done).toBe(false)
    expect((await world.needed(world.call('read'))).url).not.toBe(login.url)
    expect(world.authority.count('POST /reg')).toBe(1)
  })
})

describe('what the browser brings back', () => {
  test('is taken with its own state alone, and once', async () => {
    await using world = await openWorld()
    const { url, login } = await begin(world)
    const callback = await visitUntilCallback(url)
    const forged = change(callback, (parameters) => parameters.set('state', 'forged'))
    const twice = change(callback, (parameters) => parameters.append('state', 'forged'))
    const without = change(callback, (parameters) => parameters.delete('state'))
    for (const each of [forged, twice, without]) expect(await statusOf(each)).toBe(400)
    expect(await statusOf(new URL('/elsewhere', callback))).toBe(404)
    expect(await askAs(callback.host, callback, 'POST')).toBe(405)
    expect(await askAs('evil.example', callback)).toBe(403)
    expect(world.authority.grants).toEqual([])
    expect(await statusOf(callback)).toBe(200)
    await login
    await expect(fetch(callback)).rejects.toThrow('fetch failed')
    expect(world.authority.grants).toHaveLength(1)
  })

  test.each([
    ['another issuer', 'iss', 'https://evil.example'],
    ['no issuer, from a server that always names it', 'iss', undefined],
    ['no code', 'code', undefined],
  ])('is refused with %s, and the code is sent to nobody', async (_name, parameter, value) => {
    await using world = await openWorld()
    const { url, ended } = await begin(world)
    const callback = change(await visitUntilCallback(url), (parameters) => {
      parameters.delete(parameter)
      if (value !== undefined) parameters.set(parameter, value)
    })
    expect(await statusOf(callback)).toBe(400)
    expect(await ended).toMatchObject({ problem: 'CALLBACK_REFUSED' })
    expect(world.authority.grants).toEqual([])
  })

  test('says nothing of an error that is from somebody else', async () => {
    await using world = await openWorld()
    const { url, ended } = await begin(world)
    const callback = change(await visitUntilCallback(url), (parameters) => {
      parameters.set('iss', 'https://evil.example')
      parameters.set('error', 'access_denied')
      parameters.set('error_description', 'call 555-1234 to unlock your account')
    })
    await statusOf(callback)
    expect((await ended).message).not.toContain('555')
  })
})

test('sign-ins side by side, behind one callback, do not touch each other', async () => {
  await using world = await openWorld()
  await world.signInBy()
  await world.signInBy(bob)
  await world.clock.advance(24 * 3_600_000)
  world.authority.revokeAll()
  const [one, two] = await Promise.all([
    world.needed(world.call('read', ann)),
    world.needed(world.call('read', bob)),
  ])
  await Promise.all([visit(two?.url ?? ''), visit(one?.url ?? '')])
  expect(await Promise.all([one?.done, two?.done])).toEqual([true, true])
  expect(await world.call('read', ann)).toBe('read done')
  expect(await world.call('read', bob)).toBe('read done')
})

describe('the callback', () => {
  test('is the same for the next sign-in, so that one registration is enough', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const first = world.authority.count('POST /reg')
    const again = await begin(world)
    await visit(again.url)
    await again.login
    expect([first, world.authority.count('POST /reg')]).toEqual([1, 1])
  })

  test('takes another port, and registers it, where somebody else has its own', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const [before] = world.authority.redirects
    await using _squatter = await listenOn(Number(new URL(before ?? '').port))
    await world.signInBy(bob)
    expect(world.authority.count('POST /reg')).toBe(2)
    expect(new Set(world.authority.redirects).size).toBe(2)
  })

  test('cannot be had where it was arranged, and somebody else has its port', async () => {
    await using squatter = await listenOn(0)
    const client = { id: 'arranged', redirectUri: `http://127.0.0.1:${squatter.port}/callback` }
    await using world = await openWorld({ server: { client } })
    const error = await world.failure(world.call('read'))
    expect(error.cause).toBeInstanceOf(SignInError)
    expect(error.message).toContain(
      `nothing can listen for the browser to come back. The configured callback needs port ${squatter.port}.`,
    )
  })
})

/** Somebody else, who has a port. */
async function listenOn(port: number) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
