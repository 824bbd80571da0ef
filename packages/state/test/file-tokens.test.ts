import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileTokens, type TokensProblem } from '../src/file.ts'
import type { TokenKey, TokenSet } from '../src/index.ts'

const key: TokenKey = {
  principal: { id: 'local' },
  issuer: 'https://as.example',
  resource: 'https://r.example',
}
const other: TokenKey = { ...key, resource: 'https://other.example' }
const set: TokenSet = {
  accessToken: 'access-0123456789',
  refreshToken: 'refresh-0123456789',
  client: { id: 'client-0123456789', secret: 'secret-0123456789' },
}

async function openFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'mobius-tokens-'))
  const folder = join(parent, 'tokens')
  const problems: TokensProblem[] = []
  const open = () => openFileTokens(folder, { onProblem: (problem) => problems.push(problem) })
  return {
    folder,
    problems,
    open,
    tokens: open(),
    codes: () => problems.map(({ code }) => code),
    sealed: async () => (await readdir(folder)).filter((file) => file.endsWith('.sealed')),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
  }
}

test('what others have is not opened to look for one’s own', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  const own = await place.sealed()
  await place.tokens.set({ ...key, principal: { id: 'bob' } }, set, undefined)
  const others = (await place.sealed()).filter((file) => !own.includes(file))
  expect(others).toHaveLength(1)
  for (const file of others) await writeFile(join(place.folder, file), 'damaged')
  expect(await place.tokens.list(key.principal, key.resource)).toHaveLength(1)
  expect(place.codes()).toEqual([])
  expect(await place.tokens.list({ id: 'bob' }, key.resource)).toEqual([])
  expect(place.codes()).toEqual(['TOKENS_CORRUPT'])
})

test('nothing can be read in the files, and nobody else may read them', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  await place.tokens.setRegistration(key.issuer, {
    ...set.client,
    redirectUri: 'http://127.0.0.1/',
  })
  await place.tokens.saveVerifier('state-1', { verifier: 'v-0123', issuer: 'i', expiresAt: 9e15 })
  expect((await stat(place.folder)).mode & 0o777).toBe(0o700)
  for (const file of await readdir(place.folder)) {
    expect([file, (await stat(join(place.folder, file))).mode & 0o777]).toEqual([file, 0o600])
    const text = await readFile(join(place.folder, file), 'latin1')
    expect(`${file} ${text}`).not.toMatch(/0123|example|local|state-1/)
  }
  expect(place.problems).toEqual([])
})

test('another process reads what this one wrote', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  expect((await place.open().get(key))?.tokens).toEqual(set)
})

test('a folder that was never used has no tokens, and is not made by looking', async () => {
  await using place = await openFolder()
  expect(await place.tokens.get(key)).toBeUndefined()
  expect(await place.tokens.list(key.principal, key.resource)).toEqual([])
  await expect(readdir(place.folder)).rejects.toThrow('ENOENT')
})

test('a record leaves one file behind, whatever became of it', async () => {
  await using place = await openFolder()
  let version: string | undefined
  for (let count = 0; count < 5; count++) version = await place.tokens.set(key, set, version)
  expect(await place.sealed()).toHaveLength(1)
  await place.tokens.delete(key, version ?? '')
  expect(await place.sealed()).toHaveLength(1)
})

test('what is damaged is reported, ignored, and replaced by the next sign-in', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  const [file = ''] = await place.sealed()
  const path = join(place.folder, file)
  for (const text of ['', 'not JSON', '{"format":1}', '{"format":1,"iv":"","tag":"","data":""}']) {
    await writeFile(path, text)
    expect(await place.tokens.get(key)).toBeUndefined()
  }
  expect(await place.tokens.list(key.principal, key.resource)).toEqual([])
  expect(new Set(place.codes())).toEqual(new Set(['TOKENS_CORRUPT']))
  expect(place.problems[0]?.message.replace(path, 'FILE')).toMatchInlineSnapshot(
    `"The token file FILE is damaged, or was sealed with another key, and was ignored; sign in again."`,
  )
  await place.tokens.set(key, set, undefined)
  expect((await place.tokens.get(key))?.tokens).toEqual(set)
})

test('a file cannot pass for another one, or for a later state of itself', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  const [own = ''] = await place.sealed()
  await place.tokens.set(other, { ...set, accessToken: 'other' }, undefined)
  const [theirs = ''] = (await place.sealed()).filter((file) => file !== own)
  await rename(join(place.folder, theirs), join(place.folder, own))
  expect(await place.tokens.get(key)).toBeUndefined()
  await place.tokens.set(other, set, undefined)
  const [again = ''] = (await place.sealed()).filter((file) => file !== own)
  await rename(join(place.folder, again), join(place.folder, again.replace('.1.', '.7.')))
  expect(await place.tokens.get(other)).toBeUndefined()
  expect(new Set(place.codes())).toEqual(new Set(['TOKENS_CORRUPT']))
})

test('files of other kinds, and of newer versions, are left alone', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  const [file = ''] = await place.sealed()
  await writeFile(join(place.folder, 'README'), 'hello')
  await writeFile(join(place.folder, `${'0'.repeat(64)}.json`), '{}')
  expect(await place.tokens.list(key.principal, key.resource)).toHaveLength(1)
  await writeFile(join(place.folder, file), '{"format":2}')
  expect(await place.tokens.get(key)).toBeUndefined()
  expect(place.codes()).toEqual(['TOKENS_NEWER'])
})

test('a key that others can read is reported once', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  await chmod(join(place.folder, 'key'), 0o644)
  expect((await place.tokens.get(key))?.tokens).toEqual(set)
  await place.tokens.get(key)
  expect(place.codes()).toEqual(['TOKENS_KEY_EXPOSED'])
})

test('a key that is none is not replaced: what it sealed may be wanted', async () => {
  await using place = await openFolder()
  await place.tokens.set(key, set, undefined)
  await writeFile(join(place.folder, 'key'), 'short')
  expect(await place.tokens.get(key)).toBeUndefined()
  const error = await place.tokens.set(key, set, undefined).catch((reason: Error) => reason)
  expect(String(error).replace(place.folder, 'FOLDER')).toMatchInlineSnapshot(
    `"StateError: The token file FOLDER/key is not a key; remove it, and sign in again."`,
  )
  await rm(join(place.folder, 'key'))
  await place.tokens.set(key, set, undefined)
  expect((await place.tokens.get(key))?.tokens).toEqual(set)
})

test('what nobody finished is cleared away', async () => {
  await using place = await openFolder()
  await place.tokens.saveVerifier('old', { verifier: 'v', issuer: 'i', expiresAt: 9e15 })
  const [file = ''] = await place.sealed()
  await writeFile(join(place.folder, 'x.tmp'), 'draft')
  for (const old of [file, 'x.tmp']) await utimes(join(place.folder, old), 1, 1)
  await place.open().set(key, set, undefined)
  expect(await place.sealed()).toHaveLength(1)
  expect(await readdir(place.folder)).not.toContain('x.tmp')
})

test('several processes lose none of each other’s changes', async () => {
  await using place = await openFolder()
  const program = join(import.meta.dirname, 'fixtures/counting.ts')
  const args = ['--conditions=@mobius-mcp/source', program, place.folder, '25']
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const exits = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(exits).toEqual([0, 0, 0, 0])
  expect((await place.tokens.get(key))?.tokens.accessToken).toBe('100')
  expect(await place.sealed()).toHaveLength(1)
  expect(place.problems).toEqual([])
})
