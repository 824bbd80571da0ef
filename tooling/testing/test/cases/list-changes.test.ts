import { expect, test, vi } from 'vitest'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import type { FidelityClient } from '../../src/fidelity/target.ts'
import { caseServer } from './support/case-server.ts'
import { isOfServer, openClient } from './support/client.ts'
import { descendantsOf } from './support/processes.ts'

vi.setConfig({ testTimeout: 20_000 })

// Lists that change while somebody reads them.

const changed = 'notifications/tools/list_changed'
const bare = { capabilities: {} }

test('tools that come on the heels of the handshake are on the first list, and remembered for others', async () => {
  const one = caseServer({ tools: ['a'], early: ['b', 'c', 'd'] })
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  const url = `${gateway.origin}/mcp`
  const all = ['one__a', 'one__b', 'one__c', 'one__d']
  await using first = await openClient(url)
  await expect.poll(() => first.serverNames()).toEqual(all)
  const startedBySomebodyNew = async (): Promise<number> => {
    const before = await descendantsOf(gateway.pid)
    await using other = await openClient(url)
    expect(await other.serverNames()).toEqual(all)
    return (await descendantsOf(gateway.pid)).length - before.length
  }
  await expect.poll(startedBySomebodyNew).toBe(0)
})

test.each(['session', 'principal', 'process'])(
  'a client that has read a list is told when it grows, and reads the new one: sharing %s',
  async (sharing) => {
    const one = { ...caseServer({ tools: ['a'], late: ['b', 'c'] }), sharing }
    await using gateway = await openGateway({ config: { mcpServers: { one } } })
    const endpoint = { kind: 'http', url: `${gateway.origin}/mcp` } as const
    await using client = await sdkV1.connect(endpoint, bare)
    expect(await names(client)).toContain('one__a')
    await client.tape.find(({ message }) => message.method === changed)
    expect(await names(client)).toEqual(['one__a', 'one__b', 'one__c'])
    const told = client.tape.records.filter(({ message }) => message.method === changed)
    expect(told).toHaveLength(1)
  },
)

test('a list of many pages that grows between two of them is read again to its end', async () => {
  const one = caseServer({ tools: ['a', 'b', 'c', 'd'], pageSize: 1, late: ['e', 'f'] })
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  const endpoint = { kind: 'http', url: `${gateway.origin}/mcp` } as const
  await using client = await sdkV1.connect(endpoint, bare)
  await expect.poll(() => names(client)).toHaveLength(6)
  expect(await names(client)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `one__${name}`))
})

test.each(['principal', 'process'])(
  'who comes after a change on a shared connection reads the new list: sharing %s',
  async (sharing) => {
    const one = { ...caseServer({ tools: ['a'], late: ['b'] }), sharing }
    await using gateway = await openGateway({ config: { mcpServers: { one } } })
    const url = `${gateway.origin}/mcp`
    await using first = await openClient(url)
    await expect.poll(() => first.names()).toContain('one__b')
    await using other = await openClient(url)
    expect(await other.serverNames()).toEqual(['one__a', 'one__b'])
    expect(await descendantsOf(gateway.pid)).toHaveLength(1)
  },
)

test('a client that never used a shared connection is told of its changes, if it has read the list', async () => {
  const one = { ...caseServer({ tools: ['add'] }), sharing: 'process', idleTimeout: '1s' }
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  const url = `${gateway.origin}/mcp`
  await using user = await openClient(url)
  expect(await user.names()).toContain('one__add')
  await expect.poll(() => descendantsOf(gateway.pid), { timeout: 5_000 }).toEqual([])
  await using reader = await sdkV1.connect({ kind: 'http', url }, bare)
  expect(await names(reader)).toContain('one__add')
  expect(await descendantsOf(gateway.pid)).toEqual([])
  await user.text('one__add', { name: 'new' })
  await reader.tape.find(({ message }) => message.method === changed)
  expect(await names(reader)).toContain('one__new')
  await expect.poll(() => descendantsOf(gateway.pid), { timeout: 5_000 }).toEqual([])
  await using late = await openClient(url)
  expect(await late.names()).toContain('one__new')
})

async function names(client: FidelityClient): Promise<string[]> {
  const { tools } = (await client.request('tools/list', {})) as { tools: { name: string }[] }
  return tools.map(({ name }) => name).filter(isOfServer)
}
