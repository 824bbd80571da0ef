import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Recorded } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { carriedBy, expectSame } from './compare.ts'
import { drain } from './judge-lists.ts'
import { expectSameEnds, type Stage } from './stage.ts'

/** What a server says of itself while it runs: lists that grow, resources that change. */
export function judgeChanges(stage: () => Stage): void {
  test('a tool that is added is announced, listed and callable, in its session alone', async () => {
    const { client, subject, exchange, connect } = stage()
    await using other = await connect()
    await exchange('tools/call', { name: 'echo' }, { client: other })
    const name = `grown-${randomUUID().slice(0, 8)}`
    const from = client.tape.records.length
    await exchange('tools/call', { name: 'grow', arguments: { name } })
    await client.tape.find(isNotification('notifications/tools/list_changed'), { from })
    const grown = (await drain(stage(), client)).find(
      (tool) => tool.name === subject.publicName(name),
    )
    expectSame(
      { ...grown, name },
      { name, inputSchema: { type: 'object' }, 'x-unknown': { grown: null } },
    )
    const ends = await exchange('tools/call', { name, arguments: { of: 'the new tool' } })
    expectSameEnds(ends, subject)
    expect(ends.near.answer).toHaveProperty('result')
    const names = (await drain(stage(), other)).map((tool) => tool.name)
    expect(names).not.toContain(subject.publicName(name))
    expect(carriedBy(other.tape.records, 'in', 'notifications/tools/list_changed')).toEqual([])
  })

  test('a subscriber hears of an update as the server sent it, until it unsubscribes', async () => {
    const { client, subject, exchange } = stage()
    const uri = `${subject.tag}://notes/1`
    const touch = { name: 'touch', arguments: { uri } }
    await client.request('resources/subscribe', { uri })
    const from = client.tape.records.length
    const { near, far } = await exchange('tools/call', touch)
    expect(asObject(near.answer?.result).structuredContent).toEqual({ isWatched: true })
    const updated = await client.tape.find(isNotification('notifications/resources/updated'), {
      from,
    })
    const [sent] = carriedBy(far?.conversation ?? [], 'out', 'notifications/resources/updated')
    expectSame(updated.message.params, sent)
    await client.request('resources/unsubscribe', { uri })
    const after = await exchange('tools/call', touch)
    expect(asObject(after.near.answer?.result).structuredContent).toEqual({ isWatched: false })
  })
}

function isNotification(method: string): (record: Recorded) => boolean {
  return ({ direction, message }) => direction === 'in' && message.method === method
}
