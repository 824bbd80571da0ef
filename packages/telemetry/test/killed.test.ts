import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nodeCommand, openNodeProgram, openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import { openCallLog } from '../src/index.ts'
import { eventOf } from './support/events.ts'
import { readBrief } from './support/read-all.ts'

const program = new URL('./support/writing-program.ts', import.meta.url)

/** Records so many calls in a process that is killed before it writes the last, incomplete batch. */
async function recordAndKill(folder: string, count: number): Promise<void> {
  await using writer = openNodeProgram(program, folder, String(count))
  await once(writer.child.stdout, 'data')
  writer.child.kill('SIGKILL')
  expect((await writer.ended).signal).toBe('SIGKILL')
}

/** The next life of a gateway: it records one call. */
async function recordOne(folder: string, id: string): Promise<void> {
  await using log = openCallLog({ folder })
  log.write(eventOf(id, { startedAt: Date.now() }))
}

const written = Array.from({ length: 30 }, (_, index) => String(index + 1))

// Each starts a process, which takes its time on a busy machine.
const timeout = 30_000

describe('a process that is killed', { timeout }, () => {
  test('loses what it had not written yet, at most one batch, and the next one notes it', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await recordAndKill(folder, 37)
    expect(await readBrief({ folder })).toEqual(written)
    await recordOne(folder, 'next')
    expect(await readBrief({ folder })).toEqual([...written, 'killed unknown', 'next'])
    await recordOne(folder, 'later')
    expect(await readBrief({ folder })).toEqual([...written, 'killed unknown', 'next', 'later'])
  })

  test('in the middle of a line leaves the rest readable', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await recordAndKill(folder, 30)
    const [name = ''] = await readdir(folder)
    await appendFile(join(folder, name), '{"id":"torn","origin":{"ki')
    expect(await readBrief({ folder })).toEqual(written)
    await recordOne(folder, 'next')
    expect(await readBrief({ folder })).toEqual([...written, 'damaged 1', 'killed unknown', 'next'])
  })

  test('before its first line was whole is noted too', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    const name = '20260101T000000000Z-0123abcd-0001.jsonl'
    await writeFile(join(folder, name), '{"record":"open","version":1,"at":17')
    // Nobody knows who wrote it, so it is taken to be alive while it is young.
    await recordOne(folder, 'next')
    expect(await readBrief({ folder })).toEqual(['next'])
  })
})

describe('a process that is not killed', { timeout }, () => {
  test('but ends as it should leaves no gap', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await using writer = openNodeProgram(program, folder, '37', 'close')
    expect(await writer.ended).toMatchObject({ code: 0, stderr: '' })
    await recordOne(folder, 'next')
    expect((await readBrief({ folder })).slice(-2)).toEqual(['37', 'next'])
  })

  test('shares the folder with others, and is not taken for dead', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await using writer = openNodeProgram(program, folder, '30')
    await once(writer.child.stdout, 'data')
    await recordOne(folder, 'other')
    expect(await readBrief({ folder })).toEqual([...written, 'other'])
  })
})

test.skipIf(process.platform === 'win32')(
  'a disk that takes only a part of a batch keeps whole lines, and a gap says how many are missing',
  { timeout },
  async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    const { command, args } = nodeCommand(program, folder, '100', 'close')
    // A file may not grow beyond 16 blocks: writing goes on up to there, and then fails.
    const quoted = [command, ...args].map((word) => `'${word}'`).join(' ')
    const child = spawn('sh', ['-c', `ulimit -f 16; exec ${quoted}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(stderr).toMatch(/^CALLS_NOT_WRITTEN: .*EFBIG/)
    const shown = await readBrief({ folder })
    const kept = shown.length - 1
    expect(kept).toBeGreaterThan(0)
    expect(kept % 10).toBe(0)
    const ids = Array.from({ length: kept }, (_, index) => String(index + 1))
    expect(shown).toEqual([...ids, `unwritten ${100 - kept}`])
  },
)
