import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createTestClock,
  findFreePort,
  nodeCommand,
  openNodeProgram,
  openTemporaryFolder,
} from '../../src/index.ts'
import { loadDefinition } from '../../src/transports/connection.ts'

const servers = new URL('./servers/', import.meta.url)

test('a test clock calls what is due, at its time and in its order', async () => {
  const clock = createTestClock(0)
  const calls: unknown[] = []
  clock.set(() => calls.push(['b', clock.now()]), 20)
  clock.set(() => {
    calls.push(['a', clock.now()])
    void Promise.resolve().then(() => clock.set(() => calls.push(['c', clock.now()]), 5))
  }, 10)
  clock.clear(clock.set(() => calls.push('never'), 1))
  clock.set(() => calls.push('later'), 31)
  await clock.advance(30)
  expect(calls).toEqual([
    ['a', 10],
    ['c', 15],
    ['b', 20],
  ])
  expect([clock.now(), clock.timers]).toEqual([30, 1])
})

test('a temporary folder is gone with all that is in it', async () => {
  let path = ''
  {
    await using folder = await openTemporaryFolder()
    path = folder.path
    await writeFile(join(path, 'file'), 'text')
    expect(existsSync(path)).toBe(true)
  }
  expect(existsSync(path)).toBe(false)
})

test('a free port can be listened on', async () => {
  const port = await findFreePort()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  server.close()
})

test('a program of the repository runs from source, and tells how it ended', async () => {
  const program = new URL('../../src/transports/stdio-program.ts', import.meta.url)
  expect(nodeCommand(program, 'x').args.at(-1)).toBe('x')
  await using running = openNodeProgram(program, new URL('none.ts', servers).href)
  const { code, stderr } = await running.ended
  expect(code).toBe(1)
  expect(stderr).toContain('none.ts')
})

test('a module without one server to make says what it exports', async () => {
  await expect(loadDefinition(new URL(import.meta.resolve('../../src/index.ts')))).rejects.toThrow(
    /index\.ts must export one function create…Server; it exports .*createTestClock/,
  )
})
