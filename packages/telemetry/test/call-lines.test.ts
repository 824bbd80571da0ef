import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { type CallEvent, openCallLog } from '../src/index.ts'
import { eventOf } from './support/events.ts'

const target = { server: 'policy', tool: 'look' }
const looked = { hook: 'watch', target, method: 'tools/call', direction: 'request' }

/** What differs from one call to the next, and from one kind of call to another. */
const variants: Partial<CallEvent>[] = [
  {},
  { version: 1, root: 'session-1', issuer: 'bearer-key', parent: 'a-1', depth: 1 },
  { id: 'quote " and \\ and é and \u2028', parent: '"', root: '\n' },
  { milliseconds: 0.25, startedAt: 0 },
  { milliseconds: Number.NaN },
  { name: 'quote "', server: 'zürich', method: 'prompts/get' },
  { name: '' },
  { outcome: 'failed', rule: 'allow "github"' },
  { outcome: 'error', error: { code: -32603, message: 'broken' } },
  { origin: { kind: 'hook', name: 'watch', cause: { kind: 'client', name: 'editor' } } },
  { origin: { kind: 'hook', name: 'watch', cause: { kind: 'client', name: 'browser' } } },
  { origin: { kind: 'hook', name: 'watch' } },
  { hooks: [] },
  { hooks: [{ ...looked, milliseconds: 3 }] },
  { hooks: [looked, { ...looked, hook: 'other', milliseconds: 0 }] },
  { hooks: [{ ...looked, target: { server: 'policy', tool: 'other' } }] },
  { hooks: [{ ...looked, decision: 'approve', milliseconds: 1 }] },
  { hooks: [{ ...looked, decision: 'block', reason: 'not today' }] },
]

test('each line says all of its call, whatever the calls before it had in common with it', async () => {
  await using temporary = await openTemporaryFolder()
  const folder = temporary.path
  await using log = openCallLog({ folder })
  // Each kind comes three times, between the others: made anew, known, and known again.
  const events = [0, 1, 2].flatMap((round) =>
    variants.map((variant, index) =>
      eventOf(`${round}-${index}`, { milliseconds: round * 7, ...variant }),
    ),
  )
  for (const event of events) log.write(event)
  await log.flush()
  const [name = ''] = await readdir(folder)
  const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n').slice(1)
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    events.map((event) => JSON.parse(JSON.stringify(event))),
  )
})

test('thousands of kinds of calls are told apart like a few, also where many have one name', async () => {
  await using temporary = await openTemporaryFolder()
  const folder = temporary.path
  await using log = openCallLog({ folder })
  const events = Array.from({ length: 3000 }, (_, index) =>
    eventOf(String(index), {
      name: index % 2 === 0 ? 'search' : `tool-${index % 1500}`,
      principal: `user-${index}`,
    }),
  )
  for (const event of events) log.write(event)
  await log.flush()
  const [name = ''] = await readdir(folder)
  const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n').slice(1)
  expect(lines.map((line) => JSON.parse(line))).toEqual(events)
})
