import { appendFile, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestClock, openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import { type CallRecord, openCallLog, readCalls } from '../src/index.ts'
import { brief, eventOf } from './support/events.ts'
import { readAll, readBrief } from './support/read-all.ts'

const start = Date.UTC(2026, 0, 1)

/** Records calls that ended so many milliseconds after the start, each named after its time. */
async function record(folder: string, times: readonly number[], maxBytes?: number): Promise<void> {
  await using log = openCallLog({ folder, maxBytes, batchSize: 1 })
  for (const time of times) {
    log.write(eventOf(String(time), { startedAt: start + time, milliseconds: 0 }))
  }
}

describe('reading the record', () => {
  test('of several processes gives one sequence, in the order in which calls ended', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1, 4, 5, 9], 300)
    await record(folder, [2, 3, 8], 300)
    await record(folder, [6, 7])
    expect(await readBrief({ folder })).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('may ask for the last ones, for those since a time, or for those of a server', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(
      folder,
      Array.from({ length: 50 }, (_, index) => index),
    )
    await using log = openCallLog({ folder })
    log.write(eventOf('x', { server: 'files', startedAt: start + 50 }))
    await log.flush()
    expect(await readBrief({ folder, last: 3 })).toEqual(['48', '49', 'x'])
    expect(await readBrief({ folder, last: 0 })).toEqual([])
    expect(await readBrief({ folder, since: start + 48 })).toEqual(['48', '49', 'x'])
    expect(await readBrief({ folder, server: 'files' })).toEqual(['x'])
    expect(await readBrief({ folder, server: 'github', last: 1 })).toEqual(['49'])
  })

  test('of the last ones reads no more files than it must', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1, 2, 3, 4, 5, 6], 1)
    const names = await readdir(folder)
    // Each file was written to when its call had ended. What stands in a damaged one shows whether it was read.
    for (const [index, name] of names.toSorted().entries()) {
      if (index < 2) await writeFile(join(folder, name), 'damaged\n')
      const seconds = (start + index + 1.5) / 1000
      await utimes(join(folder, name), seconds, seconds)
    }
    expect(await readBrief({ folder, last: 1 })).toEqual(['6'])
    expect(await readBrief({ folder, last: 3 })).toEqual(['4', '5', '6'])
    expect(await readBrief({ folder, last: 10 })).toEqual([
      'damaged 1',
      'damaged 1',
      '3',
      '4',
      '5',
      '6',
    ])
    const reader = follow(folder, 1)
    expect(await reader.take(1)).toEqual(['6'])
    await record(folder, [7])
    expect(await reader.take(1)).toEqual(['7'])
    expect(await reader.end()).toEqual([])
  })

  test('of the last ones looks through many', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await using log = openCallLog({ folder })
    for (let id = 0; id < 5000; id += 1) log.write(eventOf(String(id), { startedAt: start + id }))
    await log.flush()
    expect(await readBrief({ folder, last: 2 })).toEqual(['4998', '4999'])
  })

  test('passes over files that were last written to before the time asked for', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1])
    const [name = ''] = await readdir(folder)
    await utimes(join(folder, name), 1, 1)
    expect(await readBrief({ folder, since: start })).toEqual([])
  })

  test('shows what cannot be read as a gap, and goes on', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1])
    const [name = ''] = await readdir(folder)
    const lines = [
      'no JSON',
      '',
      '[]',
      '{"record":"gap","reason":"overflow"}',
      '{"record":"of a later version"}',
      `"${'x'.repeat(200_000)}"`,
      JSON.stringify(eventOf('2')),
      JSON.stringify({ ...eventOf('3'), milliseconds: null }),
    ]
    await appendFile(join(folder, name), `${lines.join('\n')}\n`)
    expect(await readBrief({ folder })).toEqual([
      '1',
      ...Array(5).fill('damaged 1'),
      '2',
      'damaged 1',
    ])
  })

  test('does not stumble over a line without an end, however long', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1])
    const [name = ''] = await readdir(folder)
    await appendFile(join(folder, name), 'x'.repeat(3_000_000))
    expect(await readBrief({ folder })).toEqual(['1'])
    await appendFile(join(folder, name), `\n${JSON.stringify(eventOf('2'))}\n`)
    expect((await readBrief({ folder })).at(-1)).toBe('2')
  })

  test('of no folder gives nothing; of what is no folder fails', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    expect(await readAll({ folder })).toEqual([])
    await writeFile(folder, '')
    await expect(readAll({ folder })).rejects.toThrow('ENOTDIR')
  })
})

/** A reader that is asked for one record at a time. */
function follow(folder: string, last?: number) {
  const clock = createTestClock()
  const controller = new AbortController()
  const { signal } = controller
  const records = readCalls({ folder, follow: true, last, signal, clock, interval: 250 })
  return {
    /** The next records, with time going on until they are there. */
    async take(count: number): Promise<string[]> {
      const taken: CallRecord[] = []
      while (taken.length < count) {
        const next = records.next()
        const isThere = await settles(next, () => clock.advance(250))
        const { value } = isThere
        if (value) taken.push(value)
      }
      return brief(taken)
    },
    async end(): Promise<string[]> {
      const rest: CallRecord[] = []
      controller.abort()
      for await (const record of records) rest.push(record)
      return brief(rest)
    },
    clock,
  }
}

/** The promise's value, with something done until it has one. */
async function settles<T>(promise: Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
  let settled = false
  const end = () => {
    settled = true
  }
  promise.then(end, end)
  while (!settled) await meanwhile()
  return await promise
}

describe('following the record', () => {
  test('goes on with calls as they end, also of processes that begin later', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = join(temporary.path, 'calls')
    const reader = follow(folder)
    await using log = openCallLog({ folder, maxBytes: 300 })
    log.write(eventOf('1'))
    await log.flush()
    expect(await reader.take(1)).toEqual(['1'])
    log.write(eventOf('2'))
    log.write(eventOf('3'))
    await log.flush()
    expect(await reader.take(2)).toEqual(['2', '3'])
    await record(folder, [7])
    expect(await reader.take(1)).toEqual(['7'])
    log.write(eventOf('4'))
    await log.flush()
    expect(await reader.take(1)).toEqual(['4'])
    expect(await reader.end()).toEqual([])
    expect(reader.clock.timers).toBe(0)
  })

  test('begins with the last ones, if asked to', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1, 2, 3])
    const reader = follow(folder, 1)
    expect(await reader.take(1)).toEqual(['3'])
    await record(folder, [4])
    expect(await reader.take(1)).toEqual(['4'])
    expect(await reader.end()).toEqual([])
  })

  test('waits for the end of a line that is being written', async () => {
    await using temporary = await openTemporaryFolder()
    const folder = temporary.path
    await record(folder, [1])
    const reader = follow(folder)
    expect(await reader.take(1)).toEqual(['1'])
    const [name = ''] = await readdir(folder)
    const line = JSON.stringify(eventOf('2'))
    await appendFile(join(folder, name), line.slice(0, 30))
    const next = reader.take(1)
    await reader.clock.advance(1000)
    await appendFile(join(folder, name), `${line.slice(30)}\n`)
    expect(await next).toEqual(['2'])
    await reader.end()
  })

  test('ends at once when its signal says so, also while it waits', async () => {
    await using temporary = await openTemporaryFolder()
    const controller = new AbortController()
    const { signal } = controller
    const reading = readAll({ folder: temporary.path, follow: true, signal, interval: 3_600_000 })
    controller.abort()
    expect(await reading).toEqual([])
  })
})
