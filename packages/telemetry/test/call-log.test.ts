import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestClock, openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import { type CallLogProblem, openCallLog } from '../src/index.ts'
import { eventOf } from './support/events.ts'
import { readAll, readBrief } from './support/read-all.ts'

describe('the record of calls', () => {
  test('gives back what was written, with what it does not know itself', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    const event = {
      ...eventOf('1', { name: 'zürich ✓', rule: 'allow github', parent: '0', depth: 1 }),
      version: 1,
      root: 'session-7',
    }
    await using log = openCallLog({ folder })
    log.write(event)
    await log.flush()
    expect(await readAll({ folder })).toEqual([{ kind: 'call', event }])
  })

  test('stands in files that their owner alone can read', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'deep', 'calls')
    await using log = openCallLog({ folder })
    log.write(eventOf('1'))
    await log.flush()
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const [name = ''] = await readdir(folder)
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  })

  test('touches nothing before the first call', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    const log = openCallLog({ folder })
    await log.flush()
    await log.close()
    expect(await readdir(temporary.path)).toEqual([])
    expect(await readAll({ folder })).toEqual([])
  })

  test('is written in batches: when enough wait, or the first has waited long enough', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    const clock = createTestClock()
    await using log = openCallLog({ folder, clock, batchSize: 3, maxDelay: 200 })
    log.write(eventOf('1'))
    log.write(eventOf('2'))
    await clock.advance(199)
    expect(await readBrief({ folder })).toEqual([])
    await clock.advance(1)
    await log.flush()
    expect(await readBrief({ folder })).toEqual(['1', '2'])
    expect(clock.timers).toBe(0)
    // A full batch is written at once, but not one right after another.
    await clock.advance(20)
    for (const id of ['3', '4', '5']) log.write(eventOf(id))
    expect(clock.timers).toBe(0)
    await log.flush()
    expect(await readBrief({ folder })).toEqual(['1', '2', '3', '4', '5'])
  })

  test('many calls at once keep their order', async () => {
    await using temporary = await openTemporaryFolder()
    await using log = openCallLog({ folder: temporary.path })
    for (let id = 0; id < 2000; id += 1) log.write(eventOf(String(id)))
    await log.flush()
    expect(await readBrief({ folder: temporary.path })).toEqual(
      Array.from({ length: 2000 }, (_, id) => String(id)),
    )
  })

  test('what is written after it was closed is not taken, and it may be closed twice', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    const log = openCallLog({ folder })
    log.write(eventOf('1'))
    await Promise.all([log.close(), log.close()])
    log.write(eventOf('2'))
    await log.close()
    await log.flush()
    expect(await readBrief({ folder })).toEqual(['1'])
  })

  test('holds no secret that an error, a URI or a hook repeats', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await using log = openCallLog({ folder })
    const token = 'ghp_abcdefghij0123456789'
    log.write(
      eventOf('1', {
        method: 'resources/read',
        name: `https://anna:hunter2@a.example/x?key=k3y&token=${token}`,
        error: { code: -32603, message: `401 for Authorization: Bearer ${token}` },
        hooks: [
          { hook: 'a', failure: `could not use ${token}` },
          {
            hook: 'b',
            change: { hash: 'x', patch: { params: { arguments: { apiKey: 's3cr3t', q: 1 } } } },
          },
        ],
      }),
    )
    await log.flush()
    const [name = ''] = await readdir(folder)
    const text = await readFile(join(folder, name), 'utf8')
    for (const secret of [token, 'hunter2', 'k3y', 's3cr3t']) expect(text).not.toContain(secret)
    const [record] = await readAll({ folder })
    expect(record).toMatchObject({
      event: {
        name: 'https://[redacted]@a.example/x?key=[redacted]&token=[redacted]',
        hooks: [{}, { change: { patch: { params: { arguments: { q: 1 } } } } }],
      },
    })
  })
})

describe('files', () => {
  test('grow to a size, and only so many are kept', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await using log = openCallLog({ folder, maxBytes: 2000, maxFiles: 3, batchSize: 2 })
    for (let id = 0; id < 100; id += 1) {
      log.write(eventOf(String(id)))
      if (id % 10 === 9) await log.flush()
    }
    await log.flush()
    const names = await readdir(folder)
    expect(names).toHaveLength(3)
    for (const name of names) {
      expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(2000)
    }
    const ids = await readBrief({ folder })
    expect(ids.at(-1)).toBe('99')
    expect(ids.length).toBeGreaterThan(10)
    expect(ids).toEqual(ids.map((_, index) => String(100 - ids.length + index)))
  })

  test('of ended processes go first, and the files of others are counted too', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    for (const id of ['a', 'b', 'c', 'd']) {
      const clock = createTestClock(Date.UTC(2026, 0, 1) + id.charCodeAt(0))
      await using log = openCallLog({ folder, maxFiles: 3, clock })
      log.write(eventOf(id, { startedAt: clock.now() }))
    }
    expect(await readBrief({ folder })).toEqual(['b', 'c', 'd'])
  })

  test('that are not of the record are left alone', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await writeFile(join(folder, 'notes.jsonl'), '{"record":"gap"}\n')
    await using log = openCallLog({ folder, maxFiles: 1, maxBytes: 1 })
    for (const id of ['1', '2', '3']) {
      log.write(eventOf(id))
      await log.flush()
    }
    expect(await readBrief({ folder })).toEqual(['3'])
    expect(await readdir(folder)).toContain('notes.jsonl')
  })

  test('may be removed while they are written to', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    await using log = openCallLog({ folder })
    log.write(eventOf('1'))
    await log.flush()
    await rm(folder, { recursive: true })
    log.write(eventOf('2'))
    await log.flush()
    expect(await readBrief({ folder })).toEqual(['2'])
  })
})

describe('what cannot be written', () => {
  test('harms no call, is reported once, and leaves a gap that says how many are missing', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    await writeFile(folder, 'a file stands where the folder should')
    const problems: CallLogProblem[] = []
    const onProblem = (problem: CallLogProblem) => problems.push(problem)
    await using log = openCallLog({ folder, batchSize: 2, onProblem })
    for (const id of ['1', '2', '3']) log.write(eventOf(id))
    await log.flush()
    log.write(eventOf('4'))
    await log.flush()
    expect(problems.map(({ code }) => code)).toEqual(['CALLS_NOT_TIDIED', 'CALLS_NOT_WRITTEN'])
    const path = /'[^']*calls.*?'/
    expect(problems[1]?.message.replace(folder, '<folder>').replace(path, '<path>')).toBe(
      'The record of calls in <folder> could not be written: its calls are missing (ENOTDIR: not a directory, open <path>).',
    )

    await rm(folder)
    log.write(eventOf('5'))
    await log.flush()
    expect(await readBrief({ folder })).toEqual(['unwritten 4', '5'])

    await rm(folder, { recursive: true })
    await writeFile(folder, 'again')
    log.write(eventOf('6'))
    await log.flush()
    expect(problems.map(({ code }) => code).slice(2)).toEqual(['CALLS_NOT_WRITTEN'])
    await rm(folder)
    await log.close()
    expect(await readBrief({ folder })).toEqual(['unwritten 1'])
  })

  test('fast enough is a gap too, and never waits without bound', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    const codes: string[] = []
    await using log = openCallLog({
      folder,
      batchSize: 5,
      maxWaiting: 10,
      onProblem: ({ code }) => codes.push(code),
    })
    for (let id = 1; id <= 25; id += 1) log.write(eventOf(String(id)))
    await log.flush()
    log.write(eventOf('after'))
    await log.flush()
    const shown = await readBrief({ folder })
    expect(codes).toEqual(['CALLS_OVERFLOW'])
    const missing = Number(shown.find((line) => line.startsWith('overflow'))?.split(' ')[1])
    expect(shown.filter((line) => !line.startsWith('overflow'))).toHaveLength(26 - missing)
    expect(shown.slice(-2)).toEqual([`overflow ${missing}`, 'after'])
  })

  test('an observer of problems that throws harms nothing', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    await writeFile(folder, '')
    await using log = openCallLog({
      folder,
      maxWaiting: 1,
      onProblem: () => {
        throw new Error('observer')
      },
    })
    for (const id of ['1', '2', '3']) log.write(eventOf(id))
    await log.flush()
    await rm(folder)
    await log.close()
    expect(await readBrief({ folder })).toEqual(['unwritten 3'])
  })
})
