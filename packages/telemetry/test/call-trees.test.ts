import { describe, expect, test } from 'vitest'
import {
  type CallEvent,
  createCallTrees,
  formatCall,
  formatCallTree,
  formatGap,
} from '../src/index.ts'
import { eventOf } from './support/events.ts'

const agent = { kind: 'agent', name: 'coder', cause: { kind: 'client' } } as const
const noon = new Date(2026, 0, 2, 12, 0, 5).getTime()

/** A call that was made by another one. */
function childOf(parent: string, id: string, changes: Partial<CallEvent> = {}): CallEvent {
  return eventOf(id, { parent, depth: 1, origin: agent, startedAt: noon, ...changes })
}

const chat = eventOf('c1', {
  server: 'coder',
  name: 'chat-with-coder',
  startedAt: noon,
  milliseconds: 72_345,
})
const search = childOf('c1', 'c2', { startedAt: noon + 1, rule: 'allow github' })
const read = childOf('c1', 'c3', {
  startedAt: noon + 2,
  server: 'files',
  method: 'resources/read',
  name: 'file:///a',
  outcome: 'denied',
  rule: 'deny files:*',
  error: { code: -32001, message: 'Reading was refused.' },
})
const guard = childOf('c2', 'c4', {
  startedAt: noon + 3,
  depth: 2,
  origin: { kind: 'hook', name: 'guard', cause: agent },
  server: 'guard',
  name: 'check',
  milliseconds: 1300,
})
const list = eventOf('c5', {
  method: 'tools/list',
  name: '',
  startedAt: noon + 9,
  milliseconds: 0.2,
})

describe('calls are shown', () => {
  test('as trees: who made what, how long it took, how it ended, and which rule decided', () => {
    expect(formatCallTree([guard, read, search, list, chat])).toMatchInlineSnapshot(`
      "2026-01-02 12:00:05  ✓ coder/chat-with-coder  1 min 12 s  client editor for local  #c1
        ├─ ✓ github/search  12 ms  agent coder  [allow github]  #c2
        │  └─ ✓ guard/check  1.3 s  hook guard  #c4
        └─ ✗ files resources/read file:///a  12 ms  denied  agent coder  [deny files:*]  -32001 Reading was refused.  #c3
      2026-01-02 12:00:05  ✓ github tools/list  0 ms  client editor for local  #c5
      "
    `)
  })

  test('with what hooks did', () => {
    const hooks = [
      { hook: 'audit' },
      { hook: 'redact', change: { hash: 'x' } },
      { hook: 'guard', decision: 'block', reason: 'no deletions' },
      { hook: 'slow', failure: 'no answer within 5 s' },
    ]
    expect(formatCall(eventOf('1', { outcome: 'denied', hooks }))).toMatchInlineSnapshot(
      `"✗ github/search  12 ms  denied  client editor for local  {audit: saw it}  {redact: changed it}  {guard: block, no deletions}  {slow: failed (no answer within 5 s)}  #1"`,
    )
  })

  test('without their maker as roots, and each once, also where they made each other', () => {
    expect(formatCallTree([search, guard]).split('\n')).toHaveLength(3)
    const circle = [childOf('b', 'a'), childOf('a', 'b'), childOf('x', 'x')]
    expect(formatCallTree(circle).match(/#./g)).toEqual(['#x', '#a', '#b'])
    expect(formatCallTree([])).toBe('')
  })

  test('on one line each, with nothing that a terminal obeys', () => {
    const evil = '\u001b[2J\u202e\n\u009b31m'
    const shown = formatCallTree([
      eventOf(evil, {
        server: evil,
        name: evil.repeat(200),
        principal: evil,
        rule: evil,
        outcome: evil,
        origin: { kind: 'agent', name: evil },
        error: { code: -32603, message: evil.repeat(500) },
        hooks: [{ hook: evil, reason: evil, failure: evil }],
      }),
    ])
    expect(shown.split('\n')).toHaveLength(2)
    expect(shown.trimEnd()).toMatch(/^[\u0020-\u007e✓✗…]*$/)
    expect(shown.length).toBeLessThan(9000)
  })

  test('and where they are missing', () => {
    const gap = { from: noon, until: noon }
    expect(formatGap({ ...gap, reason: 'overflow', count: 1200 })).toMatchInlineSnapshot(`
      "2026-01-02 12:00:05  … 1200 calls are missing here: they ended faster than they could be written
      "
    `)
    expect(formatGap({ ...gap, reason: 'killed' })).toMatchInlineSnapshot(`
      "2026-01-02 12:00:05  … calls may be missing here: the gateway was ended without closing its record
      "
    `)
    expect(formatGap({ ...gap, reason: 'damaged', count: 1 })).toMatchInlineSnapshot(`
      "2026-01-02 12:00:05  … 1 call is missing here: a line cannot be read
      "
    `)
    const unknown = { ...gap, reason: 'later\u001b' as 'killed' }
    expect(formatGap(unknown)).toContain('later\\u001b')
  })
})

function idsOf(events: readonly CallEvent[]): string[] {
  return events.map(({ id }) => id)
}

describe('calls are gathered', () => {
  test('until the one that made them all has ended', () => {
    const trees = createCallTrees()
    expect(trees.add(guard)).toEqual([])
    expect(idsOf(trees.add(list))).toEqual(['c5'])
    expect(trees.add(search)).toEqual([])
    expect(trees.add(read)).toEqual([])
    expect(idsOf(trees.add(chat))).toEqual(['c2', 'c3', 'c4', 'c1'])
    expect(trees.rest()).toEqual([])
  })

  test('and given at once where that one has ended before them', () => {
    const trees = createCallTrees()
    trees.add(chat)
    expect(trees.add(guard)).toEqual([])
    expect(idsOf(trees.add(search))).toEqual(['c4', 'c2'])
  })

  test('within a bound', () => {
    const trees = createCallTrees({ max: 2 })
    expect(trees.add(childOf('a', '1'))).toEqual([])
    expect(trees.add(childOf('b', '2'))).toEqual([])
    expect(idsOf(trees.add(childOf('c', '3')))).toEqual(['1'])
    expect(idsOf(trees.rest())).toEqual(['2', '3'])
  })

  test('however long the chain is', () => {
    const trees = createCallTrees({ max: 50_000 })
    for (let id = 50_000; id > 0; id -= 1) trees.add(childOf(String(id - 1), String(id)))
    expect(trees.add(eventOf('0'))).toHaveLength(50_001)
  })
})
