import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { initialize, openSession } from '../src/index.ts'
import { createLineWire } from '../src/stdio.ts'
import { silent } from './support/conversation.ts'

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function start(): Child {
  const program = join(import.meta.dirname, 'support/stdio-server.ts')
  return spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] })
}

/** How it ended, and what it said on stderr. */
async function ended(child: Child): Promise<unknown[]> {
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return [code, said]
}

async function connect(child: Child) {
  const session = await openSession(createLineWire(child.stdout, child.stdin), silent)
  await initialize(session, { info: { name: 'test', version: '1' }, capabilities: {} })
  return session
}

test('a server on stdio answers, and its process ends when stdin does', async () => {
  const child = start()
  const end = ended(child)
  const session = await connect(child)
  expect(session.peer?.info).toEqual({ name: 'child', version: '1' })
  const { content } = await session.request('tools/call', { name: 'flood' })
  expect((content as [{ text: string }])[0].text).toHaveLength(1024 * 1024)
  child.stdin.end()
  expect(await end).toEqual([0, ''])
})

test('a server on stdio whose reader goes away ends without a word', async () => {
  const child = start()
  const end = ended(child)
  const session = await connect(child)
  const answers = Array.from({ length: 5 }, () => session.request('tools/call', { name: 'flood' }))
  const outcomes = Promise.allSettled(answers)
  child.stdout.destroy()
  expect(await end).toEqual([0, ''])
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a server on stdio that closes its session ends, although its stdin stays open', async () => {
  const child = start()
  const end = ended(child)
  const session = await connect(child)
  expect(await session.request('tools/call', { name: 'leave' })).toEqual({
    content: [{ type: 'text', text: 'Goodbye' }],
  })
  expect(await end).toEqual([0, ''])
})

test('what was asked before stdin ended is answered, as for whoever pipes requests in', async () => {
  const child = start()
  const end = ended(child)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe' } }
  const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  child.stdin.end(JSON.stringify(request))
  expect(JSON.parse(await text(child.stdout))).toMatchObject({ id: 1, result: {} })
  expect(await end).toEqual([0, ''])
})
