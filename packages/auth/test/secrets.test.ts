import { inspect } from 'node:util'
import { openFileTokens } from '@mobius-mcp/state/file'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { failWith } from '@mobius-mcp/testing/sign-in/authorization-server.ts'
import { visit, visitUntilCallback } from '@mobius-mcp/testing/sign-in/browser.ts'
import { expect, test } from 'vitest'
import { ann, callTool, openWorld, type World } from './support/world.ts'

const hour = 3_600_000

const client = {
  client_id: 'arranged',
  client_secret: 'arranged-secret-0123456789',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  application_type: 'native',
} as const

/** Repeats what it was sent, as some do in what they say of an error. */
const echo = ({ authority: { secrets } }: World, status: number, error: string) =>
  failWith('/token', status, (sent) => {
    for (const [name, value] of new URLSearchParams(sent)) if (isSecret(name)) secrets.add(value)
    const error_description = decodeURIComponent(sent)
    return JSON.stringify({ error, error_description })
  })

const isSecret = (name: string) => ['code', 'code_verifier', 'refresh_token'].includes(name)

/** Goes through everything that can happen, and puts all that can be seen on record. */
async function live(world: World): Promise<void> {
  const { authority, notes, clock, signIn, heard } = world
  const look = async () => {
    const status = await signIn.status(world.server, { principal: ann })
    heard.push(JSON.stringify(status), inspect(signIn, { depth: 9, showHidden: true }))
  }
  authority.person = 'refuses'
  await visit((await world.needed(world.call('read'))).url)
  authority.person = 'agrees'
  await look()

  // The code is sent, and comes back in an error.
  authority.intercept = echo(world, 400, 'invalid_request')
  await visit((await world.needed(world.call('read'))).url)
  authority.intercept = undefined

  // The browser brings the code back from somebody else.
  const url = (await world.needed(world.call('read'))).url
  const forged = await visitUntilCallback(url)
  authority.secrets.add(forged.searchParams.get('code') ?? '')
  forged.searchParams.set('iss', 'https://evil.example')
  heard.push(await (await fetch(forged)).text())

  await world.signInBy()
  const session = await world.open()
  heard.push(await callTool(session, 'read'))
  await look()
  heard.push(inspect(signIn.layerFor(world.server, ann), { depth: 9, showHidden: true }))
  const stepUp = await world.needed(callTool(session, 'write'))
  heard.push(inspect(stepUp, { depth: 9, showHidden: true }))
  heard.push((await visit(stepUp.url)).text)
  heard.push(await callTool(session, 'write'))

  // Renewed, not renewed, and refused with the token in the answer.
  await clock.advance(hour)
  heard.push(await callTool(session, 'read'))
  await clock.advance(hour)
  authority.intercept = echo(world, 500, 'server_error')
  await world.failure(callTool(session, 'read'))
  authority.intercept = undefined
  notes.refusedCall = 'read'
  await world.failure(callTool(session, 'read'))
  notes.refusedCall = undefined
  authority.intercept = echo(world, 400, 'invalid_grant')
  await clock.advance(hour)
  await world.needed(callTool(session, 'read'))
  authority.intercept = undefined

  await world.signInBy()
  heard.push(inspect(await signIn.logout(world.server, { principal: ann })))
  await look()
}

test.each([
  ['that was arranged', true],
  ['that registers', false],
])('no secret ever comes out, with a client %s', async (_name, isArranged) => {
  await using folder = await openTemporaryFolder()
  const problems: string[] = []
  const onProblem = (problem: object) => void problems.push(inspect(problem))
  const { client_id: id, client_secret: secret } = client
  await using world = await openWorld({
    authority: { clients: isArranged ? [client] : [], secretMethodsOnly: true },
    notes: { echoes: true },
    signIn: { tokens: openFileTokens(folder.path, { onProblem }) },
    server: isArranged ? { client: { id, secret } } : {},
  })
  await live(world)
  const kinds = [...world.authority.kinds]
  expect(kinds.toSorted()).toEqual([
    'access_token',
    'client_secret',
    'code',
    'code_verifier',
    'refresh_token',
  ])
  expect(world.authority.secrets.size).toBeGreaterThan(10)
  const text = [...world.heard, ...problems].join('\n')
  expect(text.length).toBeGreaterThan(10_000)
  const leaked = [...world.authority.secrets].filter(
    (value) => text.includes(value) || text.includes(encodeURIComponent(value)),
  )
  expect(leaked).toEqual([])
})
