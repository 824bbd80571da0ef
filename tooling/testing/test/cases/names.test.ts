import { expect, test, vi } from 'vitest'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import type { JsonObject } from '../../src/probe/recording.ts'
import { caseServer } from './support/case-server.ts'
import { openClient } from './support/client.ts'

vi.setConfig({ testTimeout: 20_000 })

// Whatever servers and tools are called, clients get names that they accept, and calls arrive.

const long = 'tool.with.a.name.of.one.hundred.and.twenty.characters'.padEnd(110, '_')
const odd = ['_private', 'a__b__tool', '__', 'dots.and-dashes', `${long}.one`, `${long}.two`]
const servers = {
  plain: caseServer({ tools: odd }),
  '@acme/tools': caseServer({ tools: ['_private', 'x'] }),
  'github.com/acme/a server': caseServer({ tools: ['x'] }),
  a: caseServer({ tools: ['b__c'] }),
  a__b: caseServer({ tools: ['c'] }),
}

test('any legal name of a tool or a server is published under one that every client accepts, and called by it', async () => {
  await using gateway = await openGateway({ config: { mcpServers: servers } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  const names = await client.serverNames()
  expect(names).toHaveLength(odd.length + 5)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/)
  const called = await Promise.all(names.map((name) => client.text(name)))
  const own = called.map((text) => text.replace(/ by \d+$/, ''))
  expect(own).toEqual([...odd, '_private', 'x', 'x', 'b__c', 'c'])
})

test('names stay as they are after a restart, and whatever else joins', async () => {
  const published = async (mcpServers: JsonObject): Promise<string[]> => {
    await using gateway = await openGateway({ config: { mcpServers } })
    await using client = await openClient(`${gateway.origin}/mcp`)
    return await client.names()
  }
  const before = await published(servers)
  const rivals = {
    rival: { ...caseServer({ tools: ['a__b__c', 'x', ...odd] }), plainNames: true },
    'acme-tools': caseServer({ tools: odd }),
  }
  expect(await published({ ...rivals, ...servers })).toEqual(expect.arrayContaining(before))
})

test('what is named as it likes does not push another off the name that is made for it', async () => {
  const rival = { ...caseServer({ tools: ['fine__a', 'b'] }), plainNames: true }
  const mcpServers = { rival, fine: caseServer({ tools: ['a'] }) }
  const publish = { rename: { 'rival/b': 'meta__list_servers' } }
  await using gateway = await openGateway({ config: { mcpServers, publish }, args: ['--verbose'] })
  await using client = await openClient(`${gateway.origin}/mcp`)
  expect(await client.names()).toContain('meta__list_servers')
  expect(await client.serverNames()).toEqual([
    expect.stringMatching(/^rival__fine__a/),
    expect.stringMatching(/^rival__b/),
    'fine__a',
  ])
  expect(await client.text('fine__a')).toMatch(/^a by/)
  expect(gateway.said.join('\n')).toContain('rival/fine__a cannot be named fine__a')
})

test('a gateway behind a gateway is called by names that hold the separator twice', async () => {
  await using inner = await openGateway({ config: { mcpServers: servers } })
  const mcpServers = { inner: { url: `${inner.origin}/mcp` } }
  await using outer = await openGateway({ config: { mcpServers } })
  const url = `${outer.origin}/mcp`
  await using client = await sdkV1.connect({ kind: 'http', url }, { capabilities: {} })
  const { tools } = (await client.request('tools/list', {})) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toContain('inner__plain__a__b__tool')
  const { content } = await client.callTool('inner__plain__a__b__tool', {})
  expect(content).toMatchObject([{ text: expect.stringMatching(/^a__b__tool by/) }])
  for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/)
})

test('a server with a name that no path holds has a path of its own, and nonsense in a path is 404', async () => {
  await using gateway = await openGateway({ config: { mcpServers: servers } })
  const path = encodeURIComponent('@acme/tools')
  await using client = await openClient(`${gateway.origin}/mcp/s/${path}`)
  expect(await client.names()).toEqual(['_private', 'x'])
  expect(await client.text('_private')).toMatch(/^_private by/)
  for (const nonsense of ['%', '%ff', 'nobody', '', 'meta%00', '@acme/tools/x']) {
    await expect(openClient(`${gateway.origin}/mcp/s/${nonsense}`), nonsense).rejects.toThrow('404')
  }
})
