import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createTestClock, openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test, vi } from 'vitest'
import { type ConfigReload, type WatchFolder, watchConfig } from '../src/index.ts'

const one = 'mcpServers: { a: { command: x } }\n'
const two = 'mcpServers: { a: { command: y }, b: { command: z } }\n'

/** A folder of files, a watch on them, and a clock and events that the test makes itself. */
async function openWatched(
  files: Record<string, string>,
  options: {
    readonly search?: boolean
    readonly folder?: boolean
    readonly real?: boolean
    readonly links?: Record<string, string>
  } = {},
) {
  const folder = await openTemporaryFolder()
  const root = folder.path
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) await put(path, text)
  for (const [path, to] of Object.entries(options.links ?? {})) await symlink(to, join(root, path))
  const clock = createTestClock()
  const reloads: ConfigReload[] = []
  const watched = new Map<string, Set<(name: string | undefined) => void>>()
  const watchFolder: WatchFolder = (path, onEvent) => {
    const listeners = watched.get(path) ?? new Set()
    watched.set(path, listeners.add(onEvent))
    return {
      close() {
        listeners.delete(onEvent)
        if (listeners.size === 0) watched.delete(path)
      },
    }
  }
  const find = { env: {}, home: join(root, 'home'), platform: 'linux' }
  const watch = await watchConfig({
    find: options.search
      ? { ...find, cwd: join(root, 'here') }
      : { ...find, cwd: root, arguments: [options.folder ? '.' : 'mobius.yaml'] },
    onReload: (reload) => reloads.push(reload),
    ...(options.real ? { settle: 20 } : { clock, watchFolder }),
  })
  return {
    root,
    watch,
    clock,
    reloads,
    put,
    /** Which folders are watched, as paths within the root. */
    folders: () => [...watched.keys()].map((path) => path.replace(root, '.')).sort(),
    touch(path: string) {
      const full = join(root, path)
      for (const tell of [...(watched.get(dirname(full)) ?? [])]) tell(full.split('/').at(-1))
    },
    /** Moves the clock, and waits for what comes of it. */
    async settle(milliseconds: number) {
      const before = reloads.length
      await clock.advance(milliseconds)
      await vi.waitUntil(() => reloads.length > before || clock.timers > 0)
    },
    async [Symbol.asyncDispose]() {
      watch.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a change is told once the files lie still, with what changed', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  const before = files.watch.current
  await files.put('mobius.yaml', two)
  files.touch('mobius.yaml')
  await files.clock.advance(99)
  files.touch('mobius.yaml')
  await files.clock.advance(99)
  expect(files.reloads).toEqual([])
  await files.settle(1)
  expect(files.reloads).toMatchObject([
    { kind: 'changed', changes: { servers: { added: ['b'], changed: ['a'], removed: [] } } },
  ])
  expect(files.watch.current.servers.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(before.servers.map(({ name }) => name)).toEqual(['a'])
})

test('a broken edit keeps the last good one, says so once, and says when it is over', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  for (const _ of [1, 2]) {
    await files.put('mobius.yaml', 'mcpServers: { a: { comand: x } }\n')
    files.touch('mobius.yaml')
    await files.clock.advance(100)
    await vi.waitUntil(() => files.clock.timers > 0)
    await files.clock.advance(500)
    await vi.waitUntil(() => files.watch.error !== undefined)
    await files.watch.reload()
  }
  expect(files.reloads.map(({ kind }) => kind)).toEqual(['refused'])
  expect(files.watch.error?.message.replaceAll(files.root, '.')).toMatchInlineSnapshot(`
    "Could not use the configuration ./mobius.yaml:
      ./mobius.yaml:1:20: mcpServers.a.comand: unknown key; did you mean command?"
  `)
  expect(files.watch.current.servers).toHaveLength(1)
  await files.put('mobius.yaml', one)
  files.touch('mobius.yaml')
  await files.settle(100)
  expect(files.reloads.map(({ kind }) => kind)).toEqual(['refused', 'unchanged'])
  expect(files.watch.error).toBeUndefined()
})

test.each([
  ['missing', async (path: string) => rm(path)],
  ['empty', async (path: string) => writeFile(path, '')],
  ['cut off', async (path: string) => writeFile(path, 'mcpServers: { a: { command: "x')],
])('a file that is %s for a moment is not what anybody meant', async (_, damage) => {
  await using files = await openWatched({ 'mobius.yaml': one })
  await damage(join(files.root, 'mobius.yaml'))
  files.touch('mobius.yaml')
  await files.clock.advance(100)
  await vi.waitUntil(() => files.clock.timers > 0)
  await files.put('mobius.yaml', two)
  files.touch('mobius.yaml')
  await files.settle(100)
  expect(files.reloads.map(({ kind }) => kind)).toEqual(['changed'])
})

test('a change that means nothing is not told', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  await files.put('mobius.yaml', `# a comment\n${one}`)
  expect((await files.watch.reload()).kind).toBe('unchanged')
  expect(files.reloads).toEqual([])
  expect(files.watch.current.provenance(['mcpServers', 'a', 'command'])?.line).toBe(2)
})

test('every file that takes part is watched, and what would take part', async () => {
  await using files = await openWatched({
    'mobius.yaml':
      'extends: shared/base.yaml\nhttp: { keys: [{ name: k, key: "file:keys/ci" }] }\n',
    'shared/base.yaml': one,
    'keys/ci': '0123456789abcdef',
  })
  expect(files.folders()).toEqual(['.', './keys', './shared'])
  await files.put('keys/ci', 'another-0123456789abcdef')
  files.touch('keys/ci')
  await files.settle(100)
  expect(files.reloads).toMatchObject([{ kind: 'changed', changes: { keys: { changed: ['k'] } } }])
})

test('files that never lie still are read all the same', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  await files.put('mobius.yaml', two)
  for (let time = 0; time < 500; time += 50) {
    files.touch('mobius.yaml')
    await files.clock.advance(50)
  }
  await vi.waitUntil(() => files.reloads.length === 1)
})

test('in a folder, what counts there is watched', async () => {
  await using files = await openWatched(
    { 'mobius.yaml': one, 'agents/main.md': '' },
    { folder: true },
  )
  // The folder above tells when it comes back.
  expect(files.folders()).toEqual(['.', './agents', dirname(files.root)])
  for (const path of ['notes.txt', '.git']) files.touch(path)
  expect(files.clock.timers).toBe(0)
  for (const path of ['agents/b.md', 'skills', 'mcp-servers.json']) {
    files.touch(path)
    expect([path, files.clock.timers]).toEqual([path, 1])
  }
})

test('an agent in a file of its own comes, changes and goes with it', async () => {
  await using files = await openWatched(
    { 'mobius.yaml': one, 'agents/main.md': 'Help.' },
    { folder: true },
  )
  const changed = () =>
    files.reloads.map((reload) => reload.kind === 'changed' && reload.changes.agents)
  await files.put('agents/main.md', 'Answer.')
  files.touch('agents/main.md')
  await files.settle(100)
  await files.put('agents/other.md', 'Other.')
  files.touch('agents/other.md')
  await files.settle(100)
  await rm(join(files.root, 'agents/other.md'))
  files.touch('agents/other.md')
  await files.settle(100)
  expect(changed()).toEqual([
    { added: [], removed: [], changed: ['main'] },
    { added: ['other'], removed: [], changed: [] },
    { added: [], removed: ['other'], changed: [] },
  ])
  await files.put('agents/main.md', '---\ntitle: "x\n---\n')
  files.touch('agents/main.md')
  await files.settle(100)
  await files.settle(500)
  expect(files.reloads.at(-1)).toMatchObject({ kind: 'refused' })
  expect(files.watch.current.agents).toMatchObject([{ name: 'main', instructions: 'Answer.' }])
})

test('other files beside it are nobody’s business', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  files.touch('build.log')
  expect(files.clock.timers).toBe(0)
})

test('a file that would win is taken when it comes, and left when it goes', async () => {
  const user = { 'home/.config/mobius/mobius.yaml': one, 'here/other.txt': '' }
  await using files = await openWatched(user, { search: true })
  const names = () => files.watch.current.servers.map(({ name }) => name).join()
  expect(names()).toBe('a')
  await files.put('here/.mobius/mobius.yaml', two)
  files.touch('here/.mobius')
  await files.settle(100)
  expect(names()).toBe('a,b')
  await files.put('here/mobius.yaml', 'c: { command: x }')
  files.touch('here/mobius.yaml')
  await files.settle(100)
  expect(names()).toBe('c')
  await rm(join(files.root, 'here'), { recursive: true })
  files.touch('here/mobius.yaml')
  await files.settle(100)
  expect(names()).toBe('a')
})

test('without any file, the first that comes is taken', async () => {
  await using files = await openWatched({ 'here/other.txt': '' }, { search: true })
  expect(files.watch.current).toMatchObject({ file: undefined, servers: [] })
  expect(files.folders()).toEqual(['.', './here'])
  await files.put('home/.config/mobius/mobius.yaml', one)
  files.touch('home')
  await files.settle(100)
  expect(files.watch.current.servers).toHaveLength(1)
})

test('no program runs for a file that nobody named', async () => {
  const text = 'http: { keys: [{ name: k, key: "exec:echo 0123456789abcdef" }] }'
  const found = openWatched({ 'here/mobius.yaml': text }, { search: true })
  await expect(found).rejects.toThrow('a program is run only for a file that you name yourself')
  await using files = await openWatched({ 'mobius.yaml': text })
  expect(files.watch.current.http.keys[0]?.key).toBe('0123456789abcdef')
})

test('to begin with there must be one that can be used', async () => {
  await expect(openWatched({ 'mobius.yaml': 'mcpServers: 5' })).rejects.toThrow('expected a map')
  await expect(openWatched({})).rejects.toThrow('There is no configuration at')
})

test('a folder that cannot be watched is named', async () => {
  await using folder = await openTemporaryFolder()
  const file = join(folder.path, 'mobius.yaml')
  await writeFile(file, one)
  const told: string[] = []
  using watch = await watchConfig({
    find: { arguments: [file], env: {}, cwd: folder.path, home: folder.path },
    watchFolder: () => {
      throw new Error('no watches left')
    },
    onUnwatched: (path, reason) => told.push(`${path.replace(folder.path, '.')}: ${reason}`),
  })
  expect(told).toEqual(['.: no watches left'])
  await writeFile(file, two)
  expect((await watch.reload()).kind).toBe('changed')
})

test('closed, it hears nothing', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  files.touch('mobius.yaml')
  files.watch.close()
  expect(files.folders()).toEqual([])
  expect(files.clock.timers).toBe(0)
})

test('what is said in time is taken in turn', async () => {
  await using files = await openWatched({ 'mobius.yaml': one })
  await files.put('mobius.yaml', two)
  const kinds = await Promise.all([files.watch.reload(), files.watch.reload()])
  expect(kinds.map(({ kind }) => kind)).toEqual(['changed', 'unchanged'])
  expect(files.reloads).toHaveLength(1)
})

const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('on a real file system', () => {
  test('a file that is replaced, as editors do, and again', async () => {
    await using files = await openWatched({ 'mobius.yaml': one }, { real: true })
    for (const [index, text] of [two, one, two].entries()) {
      await files.put('.mobius.yaml.swp', text)
      await rename(join(files.root, '.mobius.yaml.swp'), join(files.root, 'mobius.yaml'))
      await vi.waitUntil(() => files.reloads.length > index, { timeout: 10_000 })
    }
    expect(files.reloads.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'changed'])
  })

  test('a mounted volume whose folder is swapped', async () => {
    const text = 'extends: mount/base.yaml\n'
    const links = { 'mount/..data': '..1', 'mount/base.yaml': '..data/base.yaml' }
    await using files = await openWatched(
      { 'mobius.yaml': text, 'mount/..1/base.yaml': one },
      { real: true, links },
    )
    await files.put('mount/..2/base.yaml', two)
    await symlink('..2', join(files.root, 'mount', '..data.new'))
    await rename(join(files.root, 'mount', '..data.new'), join(files.root, 'mount', '..data'))
    await vi.waitUntil(() => files.reloads.length > 0, { timeout: 10_000 })
    expect(files.watch.current.servers).toHaveLength(2)
  })
})
