import type { StreamEvent } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

function event(place: string, change: Partial<StreamEvent> = {}): StreamEvent {
  const [scope = '', channel, sequence] = place.split(' ')
  const numbers = { channel: Number(channel), sequence: Number(sequence) }
  return { scope, ...numbers, data: `data: ${place}\n\n`, final: false, at: 10, ...change }
}

/** Whatever events are kept in, this holds. */
export function describeEvents(name: string, open: OpenPlace): void {
  describe(`events in ${name}`, () => {
    test('a channel is gone on with after any of its events', async () => {
      await using place = await open(createTestClock())
      const { events } = place.state
      await events.append([event('s 1 1'), event('s 2 1'), event('s 1 2')])
      await events.append([event('s 1 3', { final: true }), event('other 1 2')])
      await events.append([event('s 1 2', { data: 'again' })])
      expect(await events.after('s', 1, 0, 1)).toEqual([event('s 1 1')])
      expect(await events.after('s', 1, 1)).toEqual([
        event('s 1 2'),
        event('s 1 3', { final: true }),
      ])
      expect(await events.after('s', 1, 3)).toEqual([])
      expect(await events.channels('s')).toEqual([
        { channel: 1, last: 3, ended: true },
        { channel: 2, last: 1, ended: false },
      ])
      await events.delete('s')
      expect(await events.channels('s')).toEqual([])
      expect(await events.after('other', 1, 0)).toHaveLength(1)
    })

    test('what is old or too much is forgotten, the answers last', async () => {
      await using place = await open(createTestClock())
      const { events } = place.state
      await events.append([
        event('s 1 1', { at: 1 }),
        event('s 1 2', { final: true }),
        event('s 2 1'),
        event('s 2 2'),
        event('s 2 3'),
        event('other 1 1', { at: 1 }),
        event('other 1 2'),
      ])
      await events.trim({ before: 10, max: 2 })
      expect(await events.after('s', 1, 0)).toEqual([event('s 1 2', { final: true })])
      expect(await events.after('s', 2, 0)).toEqual([event('s 2 3')])
      expect(await events.after('other', 1, 0)).toEqual([event('other 1 2')])
      await events.trim({ before: 11, max: 2 })
      expect(await events.channels('s')).toEqual([])
    })
  })
}
