import { defineServer, initialize, openInProcess, tool } from '@mobius-mcp/protocol'
import { createToolsService, type View } from '@mobius-mcp/tools-service'
import { expect, test } from 'vitest'
import { z } from 'zod'

function createService() {
  const service = createToolsService()
  const say = (text: string) =>
    tool({
      description: text,
      input: z.object({}),
      run: () => ({ content: [{ type: 'text', text }] }),
    })
  service.addServer(
    defineServer({
      name: 'notes',
      version: '1',
      tools: { read: say('read'), write: say('written') },
      resources: {
        'note:///a': { name: 'a', read: () => 'A' },
        'note:///b': { name: 'b', read: () => 'B' },
      },
    }),
  )
  return service
}

async function open(view: View | (() => View)) {
  const handler = createService().publishServer('notes', view)
  if (!handler) throw new Error('notes is published')
  const session = openInProcess(handler)
  await initialize(session, { info: { name: 'test', version: '1' }, capabilities: {} })
  return session
}

test('what a view hides of one server is neither listed nor callable', async () => {
  const session = await open({ refs: ['*', '!notes/write', '!notes/note:///b'] })
  expect(await session.request('tools/list', {})).toMatchObject({ tools: [{ name: 'read' }] })
  expect(await session.request('resources/list', {})).toMatchObject({
    resources: [{ uri: 'note:///a' }],
  })
  await expect(session.request('tools/call', { name: 'write' })).rejects.toThrow(
    'Unknown tool: write',
  )
  await expect(session.request('resources/read', { uri: 'note:///b' })).rejects.toThrow(
    'Unknown resource: note:///b',
  )
  expect(await session.request('tools/call', { name: 'read' })).toMatchObject({
    content: [{ text: 'read' }],
  })
})

test('a server that a view does not name is not there', async () => {
  await expect(open({ refs: ['other'] })).rejects.toThrow('Unknown server: notes')
})

test('the view is that of the moment', async () => {
  let view: View = { refs: ['notes'] }
  const session = await open(() => view)
  expect(await session.request('tools/call', { name: 'write' })).toMatchObject({
    content: [{ text: 'written' }],
  })
  view = { refs: ['notes/read'] }
  await expect(session.request('tools/call', { name: 'write' })).rejects.toThrow('Unknown tool')
})

test('what a view is within narrows it, and never widens it', async () => {
  const session = await open({ refs: ['notes/read'], within: ['notes', '!notes/read'] })
  expect(await session.request('tools/list', {})).toMatchObject({ tools: [] })
  const handler = createService().publish({ refs: ['notes'], within: ['notes/read', 'other'] })
  const client = openInProcess(handler)
  await initialize(client, { info: { name: 'test', version: '1' }, capabilities: {} })
  expect(await client.request('tools/list', {})).toMatchObject({ tools: [{ name: 'notes__read' }] })
})
