import { expect, test, vi } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { openPlace } from './support/place.ts'

// Each command is a process of its own, from source.
vi.setConfig({ testTimeout: 120_000 })

test('threads are listed, searched, shown and deleted, by itself and through a running gateway', async () => {
  await using place = await openPlace('')
  const mobius = await place.serve()
  for (const text of ['first of all', 'second \u001b[2Jthing', 'third thing']) {
    await using client = await connectClient(`${mobius.origin}/mcp`)
    await chat(client, text)
  }
  const list = async (...args: string[]) => (await place.run(['threads', ...args])).stdout
  const titles = async (...args: string[]) =>
    JSON.parse(await list('--json', ...args)).map(({ title }: { title: string }) => title)
  const all = ['third thing', 'second \u001b[2Jthing', 'first of all']
  expect(await titles('-s', 'THING')).toEqual(all.slice(0, 2))
  await mobius[Symbol.asyncDispose]()
  const table = await list()
  expect(table).toMatch(
    /^title +agent +when +id\nthird thing +assistant +\d{4}-\d\d-\d\d \d\d:\d\d +\S+\n/,
  )
  expect(table).not.toContain('\u001b')
  expect(await titles('-a', 'nobody')).toEqual([])
  const few = await place.run(['threads', '-n', '2'])
  expect(few.stdout.split('\n')).toHaveLength(4)
  expect(few.stderr).toBe('There are more: -n 10\n')
  const [{ id }] = JSON.parse(await list('--json'))
  expect(await place.run(['threads', 'show', id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('> third thing\nNo language model is configured'),
  })
  const items = (await place.run(['threads', 'show', id, '--json'])).stdout.trim().split('\n')
  expect(items.map((line) => JSON.parse(line).type)).toEqual(['user', 'assistant', 'end'])
  expect(await place.run(['threads', 'delete', id])).toEqual({
    ...{ code: 0, stdout: '', stderr: 'Deleted.\n' },
  })
  expect((await place.run(['threads', 'delete', id])).code).toBe(1)
  expect((await place.run(['threads', 'show', id])).code).toBe(1)
  expect(await titles()).toEqual(all.slice(1))
})

test('without threads there is nothing to list, and a slip is said to be one', async () => {
  await using place = await openPlace('')
  expect(await place.run(['threads'])).toEqual({
    ...{ code: 0, stdout: '', stderr: 'There are no threads.\n' },
  })
  expect((await place.run(['threads', '-n', 'x'])).code).toBe(2)
  expect((await place.run(['threads', 'lst'])).code).toBe(2)
})
