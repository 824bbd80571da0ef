import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TokenKey, TokenSet } from '@mobius-mcp/state'
import type { TokensProblem } from '@mobius-mcp/state/file'
import BetterSqlite3 from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openFolder } from './open-folder.ts'

const key: TokenKey = {
  principal: { id: 'ann-0123456789' },
  issuer: 'https://as-0123456789.example',
  resource: 'https://resource-0123456789.example',
}
const set: TokenSet = {
  accessToken: 'access-0123456789',
  refreshToken: 'refresh-0123456789',
  client: { id: 'client-0123456789', secret: 'secret-0123456789' },
}

async function openPlace() {
  const place = await openFolder()
  const problems: TokensProblem[] = []
  const store = await place.open({ onProblem: (problem) => problems.push(problem) })
  return {
    ...place,
    tokens: store.tokens,
    keyFile: join(dirname(place.file), 'key'),
    codes: () => problems.map(({ code }) => code),
    change(statement: string) {
      const sqlite = new BetterSqlite3(place.file)
      sqlite.exec(statement)
      sqlite.close()
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('nothing of tokens can be read from the files, and the key stands beside them', async () => {
  await using place = await openPlace()
  await place.tokens.set(key, set, undefined)
  await place.tokens.setRegistration(key.issuer, {
    ...set.client,
    redirectUri: 'http://0123456789',
  })
  const verifier = { verifier: 'verifier-0123456789', issuer: key.issuer, expiresAt: 5 }
  await place.tokens.saveVerifier('state-0123456789', verifier)
  const folder = dirname(place.file)
  for (const file of await readdir(folder)) {
    expect((await readFile(join(folder, file))).includes('0123456789')).toBe(false)
  }
  expect((await stat(place.keyFile)).mode & 0o077).toBe(0)
  expect(place.codes()).toEqual([])
})

test('one process’s tokens are the other’s, and of two changes at once one counts', async () => {
  await using place = await openPlace()
  await using other = await place.open()
  const version = await place.tokens.set(key, set, undefined)
  expect(await other.tokens.get(key)).toMatchObject({ tokens: set, version })
  const changes = [place.tokens, other.tokens, place.tokens].map((tokens, at) =>
    tokens.set(key, { ...set, accessToken: String(at) }, version),
  )
  expect((await Promise.all(changes)).filter((made) => made !== undefined)).toHaveLength(1)
})

test('what is damaged or sealed for another place is reported, counts as nothing and is replaced', async () => {
  await using place = await openPlace()
  const other = { ...key, principal: { id: 'bob' } }
  await place.tokens.set(key, set, undefined)
  await place.tokens.set(other, { ...set, accessToken: 'bob’s' }, undefined)
  place.change(
    `update secrets set sealed = (select sealed from secrets order by rowid desc limit 1)`,
  )
  expect(await place.tokens.get(key)).toBeUndefined()
  expect(await place.tokens.list(key.principal, key.resource)).toEqual([])
  expect(await place.tokens.get(other)).toMatchObject({ tokens: { accessToken: 'bob’s' } })
  expect(new Set(place.codes())).toEqual(new Set(['TOKENS_CORRUPT']))
  expect(await place.tokens.set(key, set, undefined)).toBeDefined()
  expect(await place.tokens.get(key)).toMatchObject({ tokens: set })
})

test('without its key everybody signs in again', async () => {
  await using place = await openPlace()
  await place.tokens.set(key, set, undefined)
  await rm(place.keyFile)
  expect(await place.tokens.get(key)).toBeUndefined()
  expect(await place.tokens.set(key, set, undefined)).toBeDefined()
  expect(await place.tokens.get(key)).toMatchObject({ tokens: set })
})

test.skipIf(process.platform === 'win32')('an exposed key is reported once', async () => {
  await using place = await openPlace()
  await place.tokens.set(key, set, undefined)
  await chmod(place.keyFile, 0o644)
  await place.tokens.get(key)
  await place.tokens.get(key)
  expect(place.codes()).toEqual(['TOKENS_KEY_EXPOSED'])
})
