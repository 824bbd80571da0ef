import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openFolder } from './open-folder.ts'

const principal = { id: 'ann' }

async function measure<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  console.info(`${what}: ${(performance.now() - start).toFixed(1)} ms`)
  return result
}

test('a thread of 10,000 items is read by cursor, whole and in order', async () => {
  await using place = await openFolder()
  await using store = await place.open()
  const { threads } = store
  await threads.create({ id: 't', principal, agent: 'main', at: 0 })
  const text = 'x'.repeat(500)
  const items = Array.from({ length: 10_000 }, (_, at) => ({ id: `i${at}`, value: { at, text } }))
  await measure('10,000 items appended, by 100', async () => {
    for (let at = 0; at < items.length; at += 100) {
      await threads.append(principal, 't', { items: items.slice(at, at + 100), at })
    }
  })
  const sequences: number[] = []
  let longest = 0
  await measure('10,000 items read, by 100', async () => {
    for (let after = 0; ; after = sequences.length) {
      const start = performance.now()
      const page = (await threads.items(principal, 't', { after })) ?? []
      longest = Math.max(longest, performance.now() - start)
      if (page.length === 0) return
      sequences.push(...page.map(({ sequence }) => sequence))
    }
  })
  console.info(`the longest page: ${longest.toFixed(1)} ms`)
  expect(sequences).toEqual(items.map((_, at) => at + 1))
})

test('1,000 threads among 10,000 of others are listed and searched', async () => {
  await using place = await openFolder()
  await using store = await place.open()
  const { threads } = store
  for (let at = 0; at < 11_000; at++) {
    const owner = at % 11 === 0 ? principal : { id: `other-${at % 7}` }
    await threads.create({ id: `t${at}`, principal: owner, agent: 'main', title: `No. ${at}`, at })
  }
  const all = await measure('1,000 threads listed at once', () =>
    threads.list(principal, { limit: 1000 }),
  )
  expect(all.entries).toHaveLength(1000)
  expect(all.next).toBeUndefined()
  const seen = await measure('1,000 threads listed, by 100', async () => {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await threads.list(principal, { cursor })
      ids.push(...page.entries.map(({ id }) => id))
      cursor = page.next
    } while (cursor !== undefined)
    return ids
  })
  expect(seen).toEqual(all.entries.map(({ id }) => id))
  const found = await measure('1,000 threads searched', () =>
    threads.list(principal, { search: 'no. 1098' }),
  )
  expect(found.entries.map(({ title }) => title)).toEqual(['No. 10989'])
}, 20_000)

test('1,000 steps are recorded as started and as finished', async () => {
  await using place = await openFolder()
  await using store = await place.open()
  const opening = await store.journal.run('r', { id: 'one' })
  if (opening.kind !== 'open') throw new Error(opening.kind)
  const { run } = opening
  await measure('1,000 steps run', async () => {
    for (let at = 0; at < 1000; at++) await run.step(`step ${at}`, {}, () => ({ at }))
  })
  const replayed = await measure('1,000 steps replayed', async () => {
    let count = 0
    for (let at = 0; at < 1000; at++) {
      const outcome = await run.step(`step ${at}`, {}, () => ({ at: -1 }))
      if (outcome.kind === 'finished' && outcome.replayed && outcome.value.at === at) count += 1
    }
    return count
  })
  expect(replayed).toBe(1000)
})
