import { drainList, initialize, isObject, openInProcess } from '@mobius-mcp/protocol'
import { createMetaServer, type Operations } from '@mobius-mcp/server-meta'
import { expect, test } from 'vitest'
import { createOnlyReads, readingTools } from '../src/only-reads.ts'
import { peopleTools } from '../src/operations.ts'

test('agents need no rule for just those tools of this process that say they only read', async () => {
  const meta = createMetaServer({
    version: '1',
    servers: () => [],
    watchServers: () => () => {},
    recent: { list: () => [], watch: () => () => {} },
    operations: {} as Operations,
  })
  const environment = { folder: '.', closing: new AbortController().signal, callerFor: never }
  const session = openInProcess(await meta.create(environment))
  await initialize(session, { info: { name: 'test', version: '1' }, capabilities: {} })
  const tools = await drainList(session, 'tools')
  const reading = tools.filter(({ annotations }) => {
    const { readOnlyHint, openWorldHint } = isObject(annotations) ? annotations : {}
    return readOnlyHint === true && openWorldHint === false
  })
  // What people do themselves is refused to agents by the tools themselves.
  const forAgents = reading
    .map(({ name }) => `meta/${name}`)
    .filter((name) => !peopleTools.includes(name))
  expect(forAgents).toEqual(readingTools)
})

test('nor for prompts of the configuration, and for chatting with one another', () => {
  const onlyReads = createOnlyReads(['helper'], 'prompts')
  const is = (server: string, method: string, name: string) =>
    onlyReads({ server, method, name, params: {} })
  expect(is('helper', 'tools/call', 'chat-with-helper')).toBe(true)
  expect(is('prompts', 'prompts/get', 'style')).toBe(true)
  expect(is('meta', 'tools/call', 'list_servers')).toBe(true)
  expect(is('meta', 'tools/call', 'add_server')).toBe(false)
  expect(is('meta', 'resources/read', 'call:///recent')).toBe(false)
  expect(is('files', 'tools/call', 'list_servers')).toBe(false)
})

function never(): never {
  throw new Error('nobody calls')
}
