import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileTokens } from '@mobius-mcp/state/file'
import { type NodeProgram, openNodeProgram, openTemporaryFolder } from '@mobius-mcp/testing'
import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, callTool, openWorld } from './support/world.ts'

const hour = 3_600_000

async function line({ child }: NodeProgram): Promise<string> {
  const [chunk] = await once(child.stdout, 'data')
  return String(chunk).trim()
}

describe('processes that share a folder', () => {
  test('keep a sign-in across a restart', async () => {
    await using folder = await openTemporaryFolder()
    const tokens = () => openFileTokens(folder.path)
    await using world = await openWorld({ signIn: { tokens: tokens() } })
    await world.signInBy()
    const next = world.another({ tokens: tokens() })
    const session = await world.open(ann, next)
    expect(await callTool(session, 'read')).toBe('read done')
    await world.clock.advance(hour)
    expect(await callTool(session, 'read')).toBe('read done')
    expect(world.refreshes()).toBe(1)
  })

  test('use a sign-in that was made in another one, and end what waits for it', async () => {
    await using folder = await openTemporaryFolder()
    const tokens = () => openFileTokens(folder.path)
    await using world = await openWorld({ signIn: { tokens: tokens() } })
    const waiting = await world.needed(world.call('read'))
    await world.clock.advance(1)
    const command = world.another({ tokens: tokens() })
    const onUrl = (url: string) => void visit(url)
    await command.login(world.server, { principal: ann, onUrl })
    expect(await world.call('read')).toBe('read done')
    expect(await waiting.done).toBe(true)
  })

  test('stay while somebody signs in, and end by themselves afterwards', async () => {
    await using folder = await openTemporaryFolder()
    await using world = await openWorld({ signIn: { tokens: openFileTokens(folder.path) } })
    const program = new URL('./fixtures/login.ts', import.meta.url)
    await using command = openNodeProgram(program, folder.path, world.notes.url)
    await visit(await line(command))
    expect(await command.ended).toEqual({ code: 0, signal: null, stderr: '' })
    expect(await world.call('read')).toBe('read done')
  }, 20_000)

  test('renew a sign-in once for all of them', async () => {
    await using folder = await openTemporaryFolder()
    await using world = await openWorld({ signIn: { tokens: openFileTokens(folder.path) } })
    await world.signInBy()
    const program = new URL('./fixtures/caller.ts', import.meta.url)
    const options = [folder.path, world.notes.url, String(hour)] as const
    await using one = openNodeProgram(program, ...options)
    await using two = openNodeProgram(program, ...options)
    await using three = openNodeProgram(program, ...options)
    const all = [one, two, three]
    await Promise.all(all.map(line))
    const answers = Promise.all(all.map(line))
    for (const { child } of all) child.stdin.write('go\n')
    expect(await answers).toEqual(['200', '200', '200'])
    expect(world.refreshes()).toBe(1)
  }, 20_000)

  test('wait no longer than half a minute for one that died while it renewed', async () => {
    await using folder = await openTemporaryFolder()
    const tokens = openFileTokens(folder.path)
    await using world = await openWorld({ signIn: { tokens } })
    await world.signInBy()
    const session = await world.open()
    await world.clock.advance(hour)
    const claim = { by: 'dead', until: world.clock.now() + 30_000 }
    for (const { key, tokens: set, version } of await tokens.list(ann, world.notes.url)) {
      await tokens.set(key, { ...set, claim }, version)
    }
    let answer: string | undefined
    const call = callTool(session, 'read').then((text) => {
      answer = text
    })
    while (answer === undefined && world.clock.now() < claim.until) await world.clock.advance(100)
    expect(answer).toBe(undefined)
    while (answer === undefined) await world.clock.advance(200)
    await call
    expect(answer).toBe('read done')
    expect(world.refreshes()).toBe(1)
  })
})

test('what is kept can be read by nobody else, and not without the key', async () => {
  await using folder = await openTemporaryFolder()
  await using world = await openWorld({ signIn: { tokens: openFileTokens(folder.path) } })
  await world.signInBy()
  const files = await readdir(folder.path)
  expect(files.map((file) => file.replace(/[0-9a-f]{64}/, '…')).toSorted()).toEqual([
    'client-….1.sealed',
    'key',
    'tokens-….1.sealed',
  ])
  for (const file of files) {
    expect((await stat(join(folder.path, file))).mode & 0o777).toBe(0o600)
    const text = await readFile(join(folder.path, file), 'latin1')
    for (const secret of world.authority.secrets) expect(text).not.toContain(secret)
  }
})
