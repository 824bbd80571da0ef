import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CatalogProblem, type FileCatalogOptions, openFileCatalog } from '../src/file.ts'
import { entryOf } from './entry.ts'

let root: string
let folder: string
let problems: CatalogProblem[]

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mobius-catalog-'))
  folder = join(root, 'state', 'catalog')
  problems = []
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

function open(options: FileCatalogOptions = {}) {
  return openFileCatalog(folder, { onProblem: (problem) => problems.push(problem), ...options })
}

async function fill(...names: string[]): Promise<void> {
  await using catalog = open()
  for (const name of names) catalog.set(name, entryOf(name))
}

async function onlyFile(): Promise<string> {
  const [name, ...more] = await readdir(folder)
  expect(more).toEqual([])
  return join(folder, name ?? '')
}

/** Reports without the folder and the file's name, which differ from run to run. */
function reports(): string[] {
  return problems.map(({ code, message }) =>
    `${code} ${message}`.replaceAll(folder, '.').replaceAll(/[0-9a-f]{64}/g, '<hash>'),
  )
}

describe('what one process wrote', () => {
  test('the next one finds', async () => {
    await fill('a', 'b')
    await using next = open()
    expect(await next.get('a')).toEqual(entryOf('a'))
    expect(await next.get('b')).toEqual(entryOf('b'))
    expect(await next.get('c')).toBeUndefined()
    expect(reports()).toEqual([])
  })

  test('stays deleted when it was deleted', async () => {
    await fill('a')
    await using catalog = open()
    catalog.delete('a')
    expect(catalog.get('a')).toBeUndefined()
    await catalog.close()
    await using next = open()
    expect(await next.get('a')).toBeUndefined()
    expect(await readdir(folder)).toEqual([])
  })

  test('is readable by its owner alone, and its name tells nothing', async () => {
    await using catalog = open()
    catalog.set('https://user:secret@example.com', entryOf('a'))
    await catalog.close()
    const file = await onlyFile()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(file).toMatch(/^[^:]*[0-9a-f]{64}\.json$/)
    expect(await readFile(file, 'utf8')).not.toContain('secret@')
  })

  test('is kept unchanged: unknown members, false, null and every character', async () => {
    const odd = JSON.parse(
      '{"at":1.5,"initialize":{"capabilities":{"experimental":{"a/b":null}},"text":"\u2028 \\u0000 😀"},' +
        '"lists":{"resources":[],"tools":[{"name":"x","hint":false,"__proto__":{"a":1}}]}}',
    )
    await using catalog = open()
    catalog.set('odd', odd)
    await catalog.close()
    const { at, initialize, lists } = (await open().get('odd')) ?? {}
    expect(JSON.stringify({ at, initialize, lists })).toBe(JSON.stringify(odd))
  })
})

describe('within one process', () => {
  test('nothing is touched before it is needed', async () => {
    await using catalog = open()
    expect(await catalog.get('a')).toBeUndefined()
    expect(await readdir(root)).toEqual([])
  })

  test('an entry is there at once, and is read from the disk only once', async () => {
    await fill('a')
    await using catalog = open()
    const read = await catalog.get('a')
    expect(catalog.get('a')).toBe(read)
    const fresh = entryOf('fresh')
    catalog.set('b', fresh)
    expect(catalog.get('b')).toBe(fresh)
  })

  test('what memory has no room for is read again', async () => {
    await using catalog = open({ max: 1 })
    for (const name of ['a', 'b', 'c']) catalog.set(name, entryOf(name))
    expect(await catalog.get('a')).toEqual(entryOf('a'))
    await catalog.close()
    expect(await catalog.get('b')).toEqual(entryOf('b'))
  })

  test('the last of many changes is the one that lasts', async () => {
    await using catalog = open()
    for (let round = 0; round < 500; round++) {
      catalog.set('a', entryOf(`a${round}`))
      if (round % 3 === 0) catalog.delete('b')
      else catalog.set('b', entryOf(`b${round}`))
      if (round % 50 === 0) await new Promise(setImmediate)
    }
    await catalog.close()
    await using next = open()
    expect(await next.get('a')).toEqual(entryOf('a499'))
    expect(await next.get('b')).toEqual(entryOf('b499'))
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test('a change that comes while the file is read wins', async () => {
    await fill('a', 'b')
    await using catalog = open()
    const reads = [catalog.get('a'), catalog.get('b')]
    catalog.set('a', entryOf('newer'))
    catalog.delete('b')
    expect(await Promise.all(reads)).toEqual([entryOf('newer'), undefined])
    expect(await catalog.get('b')).toBeUndefined()
  })

  test('closing twice is closing once, and later changes stay in memory', async () => {
    const catalog = open()
    await catalog.close()
    await catalog.close()
    catalog.set('a', entryOf('a'))
    expect(catalog.get('a')).toEqual(entryOf('a'))
    await catalog.close()
    expect(await readdir(root)).toEqual([])
  })
})

describe('several processes in one folder', () => {
  test('leave whole entries, whoever was last', async () => {
    const catalogs = Array.from({ length: 8 }, () => open())
    for (let round = 0; round < 20; round++) {
      for (const [owner, catalog] of catalogs.entries()) {
        catalog.set('shared', entryOf(`${owner}-${round}`))
        catalog.set(`own-${owner}`, entryOf(`${owner}-${round}`))
      }
      await new Promise(setImmediate)
    }
    await Promise.all(catalogs.map((catalog) => catalog.close()))
    await using next = open()
    expect(await next.get('shared')).toMatchObject({ at: 1000 })
    expect(await next.get('own-7')).toEqual(entryOf('7-19'))
    expect(await readdir(folder)).toHaveLength(9)
    expect(reports()).toEqual([])
  })
})

describe('a file that cannot be used is reported and ignored:', () => {
  test.each([
    ['empty, after a power cut', ''],
    ['cut off', '{"format":1,"at":1,"initial'],
    ['not an object', '[1]'],
    ['of no format', '{"at":1,"initialize":{},"lists":{}}'],
    ['with lists of something else', '{"format":1,"at":1,"initialize":{},"lists":{"tools":[1]}}'],
    ['without an initialize result', '{"format":1,"at":1,"lists":{}}'],
  ])('%s', async (_, text) => {
    await fill('a')
    await writeFile(await onlyFile(), text)
    await using catalog = open()
    expect(await catalog.get('a')).toBeUndefined()
    expect(reports()).toEqual([
      'CATALOG_CORRUPT The catalog file ./<hash>.json is damaged and was ignored; it is written anew when its server is next asked.',
    ])
    catalog.set('a', entryOf('a'))
    await catalog.close()
    expect(await open().get('a')).toEqual(entryOf('a'))
  })

  test('written by a newer version', async () => {
    await fill('a')
    await writeFile(await onlyFile(), '{"format":2,"packed":"…"}')
    await using catalog = open()
    expect(await catalog.get('a')).toBeUndefined()
    expect(reports()).toMatchInlineSnapshot(`
      [
        "CATALOG_NEWER The catalog file ./<hash>.json was written by a newer version of Mobius and was ignored.",
      ]
    `)
  })

  test('a folder of that name', async () => {
    await fill('a')
    const file = await onlyFile()
    await rm(file)
    await mkdir(file)
    await using catalog = open()
    expect(await catalog.get('a')).toBeUndefined()
    catalog.set('a', entryOf('a'))
    await catalog.close()
    expect(problems.map(({ code }) => code)).toEqual(['CATALOG_UNREADABLE', 'CATALOG_NOT_WRITTEN'])
    expect(await readdir(folder)).toHaveLength(1)
  })
})

describe('a disk that does not take it', () => {
  test('costs the memory of it, not the process', async () => {
    await writeFile(join(root, 'state'), 'a file where the folder should be')
    await using catalog = open()
    catalog.set('a', entryOf('a'))
    await catalog.close()
    expect(catalog.get('a')).toEqual(entryOf('a'))
    expect(problems.map(({ code }) => code)).toContain('CATALOG_NOT_WRITTEN')
  })

  test('is not waited for without bound', async () => {
    await using catalog = open({ maxPending: 3 })
    for (let count = 0; count < 10; count++) catalog.set(`${count}`, entryOf(`${count}`))
    await catalog.close()
    expect(problems.map(({ code }) => code)).toEqual(Array(7).fill('CATALOG_OVERFLOW'))
    expect(await readdir(folder)).toHaveLength(3)
    await using next = open()
    expect(await next.get('9')).toEqual(entryOf('9'))
  })
})

test('the folder is cleared while the process runs, and fills again', async () => {
  await using catalog = open()
  catalog.set('a', entryOf('a'))
  await catalog.close()
  await rm(folder, { recursive: true })
  await using other = open()
  other.set('b', entryOf('b'))
  await other.close()
  expect(await readdir(folder)).toHaveLength(1)
})

test('drafts of killed processes and the oldest entries are swept away', async () => {
  await fill('old', 'middle', 'young')
  const draft = join(folder, 'x.json.0123456789ab.tmp')
  const fresh = join(folder, 'y.json.0123456789ab.tmp')
  await writeFile(draft, 'half')
  await writeFile(fresh, 'half')
  await utimes(draft, 1, 1)
  const before = new Set(await readdir(folder))
  await using catalog = open({ maxFiles: 2 })
  catalog.set('new', entryOf('new'))
  await catalog.close()
  const after = await readdir(folder)
  expect(before.has('x.json.0123456789ab.tmp')).toBe(true)
  expect(after).not.toContain('x.json.0123456789ab.tmp')
  expect(after).toContain('y.json.0123456789ab.tmp')
  expect(after.filter((name) => name.endsWith('.json'))).toHaveLength(3)
  await using next = open()
  expect(await next.get('new')).toEqual(entryOf('new'))
})
