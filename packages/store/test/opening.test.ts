import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as schema from '../src/schema.ts'
import { openFolder } from './open-folder.ts'

describe('a store', () => {
  test('is there after it was closed, with all that was kept', async () => {
    await using place = await openFolder()
    const principal = { id: 'ann' }
    {
      await using store = await place.open()
      await store.threads.create({ id: 't', principal, agent: 'main', title: 'Kept', at: 1 })
      await store.threads.append(principal, 't', { items: [{ id: 'a', value: {} }], at: 2 })
      await store.leases.beat('one', 100)
    }
    await using store = await place.open()
    expect(await store.threads.get(principal, 't')).toMatchObject({ title: 'Kept', last: 1 })
    expect(await store.threads.items(principal, 't')).toHaveLength(1)
    expect(await store.leases.find('one')).toEqual({ owner: 'one', until: 100 })
  })

  test('may be closed twice, and is then of no use', async () => {
    await using place = await openFolder()
    await using store = await place.open()
    await store.close()
    await expect(store.leases.find('one')).rejects.toThrow('not open')
  })

  test('shows at once what another process has written', async () => {
    await using place = await openFolder()
    await using one = await place.open()
    await using two = await place.open()
    await one.leases.beat('one', 100)
    expect(await two.leases.find('one')).toEqual({ owner: 'one', until: 100 })
    expect(await one.journal.run('r', { id: 'one' })).toMatchObject({ kind: 'open' })
    await two.leases.beat('one', Date.now() + 60_000)
    expect(await two.journal.run('r', { id: 'two' })).toMatchObject({ kind: 'held', owner: 'one' })
  })

  test.skipIf(process.platform === 'win32')('can be read by its owner alone', async () => {
    await using place = await openFolder()
    await using store = await place.open()
    await store.leases.beat('one', 100)
    const folder = dirname(place.file)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const files = await readdir(folder)
    expect(files.toSorted()).toEqual(['state.db', 'state.db-shm', 'state.db-wal'])
    for (const file of files) expect((await stat(`${folder}/${file}`)).mode & 0o777).toBe(0o600)
  })
})

describe('a file that is not this version’s to use is refused and left as it is:', () => {
  test('one that a newer version has migrated', async () => {
    await using place = await openFolder()
    await (await place.open()).close()
    const sqlite = new BetterSqlite3(place.file)
    sqlite.exec(`insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`)
    sqlite.exec('alter table runs add column color text')
    sqlite.close()
    const before = await readFile(place.file)
    const error = await place.open().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_NEWER', file: place.file })
    expect(String(error).replace(place.file, 'FILE')).toMatchInlineSnapshot(
      `"StoreError: The store FILE was written by a newer version of Mobius, and was left untouched; start that version, or choose another state folder."`,
    )
    expect(await readFile(place.file)).toEqual(before)
  })

  test('one that a newer version was using when it was killed', async () => {
    await using place = await openFolder()
    await using killed = await openFolder()
    await using _store = await place.open()
    const sqlite = new BetterSqlite3(place.file)
    sqlite.exec(`insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`)
    await mkdir(dirname(killed.file))
    const files = ['', '-wal']
    for (const part of files) await copyFile(`${place.file}${part}`, `${killed.file}${part}`)
    sqlite.close()
    const read = () => Promise.all(files.map((part) => readFile(`${killed.file}${part}`)))
    const before = await read()
    await expect(killed.open()).rejects.toMatchObject({ code: 'STORE_NEWER' })
    expect(await read()).toEqual(before)
  })

  test('the database of another program', async () => {
    await using place = await openFolder()
    await mkdir(dirname(place.file))
    const sqlite = new BetterSqlite3(place.file)
    sqlite.exec('create table leases (flat text)')
    sqlite.close()
    const before = await readFile(place.file)
    await expect(place.open()).rejects.toMatchObject({ code: 'STORE_FOREIGN' })
    expect(await readFile(place.file)).toEqual(before)
  })

  test('what is no database', async () => {
    await using place = await openFolder()
    await mkdir(dirname(place.file))
    await writeFile(place.file, 'Something else, and long enough. '.repeat(100))
    const before = await readFile(place.file)
    await expect(place.open()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' })
    expect(await readFile(place.file)).toEqual(before)
  })
})

test('the migrations make the tables of the schema; if not, one is to be generated', async () => {
  await using place = await openFolder()
  await (await place.open()).close()
  const sqlite = new BetterSqlite3(place.file, { readonly: true })
  const made = sqlite
    .prepare(`select name from sqlite_schema where name not glob 'sqlite_*' order by name`)
    .pluck()
    .all()
  const columnsOf = sqlite.prepare('select name, "notnull" from pragma_table_info(?)').raw()
  const tables = Object.values(schema).map((table) => getTableConfig(table))
  const named = tables.flatMap((table) => [
    table.name,
    ...table.indexes.map(({ config }) => config.name),
  ])
  expect(made).toEqual(['__drizzle_migrations', ...named].toSorted())
  for (const { name, columns } of tables) {
    const declared = columns.map((column) => [column.name, column.notNull ? 1 : 0])
    expect(columnsOf.all(name).toSorted(), name).toEqual(declared.toSorted())
  }
  sqlite.close()
})
