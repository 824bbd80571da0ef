import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { linesOf, openGateway } from '../../src/fidelity/gateway-process.ts'
import { openTemporaryFolder } from '../../src/index.ts'
import { asObject } from '../../src/probe/session.ts'
import { caseServer, readLog } from './support/case-server.ts'
import { openClient } from './support/client.ts'

vi.setConfig({ testTimeout: 20_000 })

// What reaches a server of the calls that are meant for it.

test('a call during which its server dies reached it once, fails, and is not made again', async () => {
  await using folder = await openTemporaryFolder()
  const log = join(folder.path, 'log')
  const one = caseServer({ tools: ['die', 'echo'], log })
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  expect(await client.text('one__die')).toMatch(/one\/die.*exited with code 9/)
  expect(await client.text('one__echo')).toMatch(/^echo by \d+$/)
  expect(await called(log)).toEqual(['die', 'echo'])
})

test('a call that is taken back is taken back from its own server at once, and from no other', async () => {
  await using folder = await openTemporaryFolder()
  const logs = { one: join(folder.path, 'one'), two: join(folder.path, 'two') }
  const tools = ['wait', 'echo']
  const mcpServers = {
    one: caseServer({ tools, log: logs.one }),
    two: caseServer({ tools, log: logs.two }),
  }
  await using gateway = await openGateway({ config: { mcpServers } })
  const endpoint = { kind: 'http', url: `${gateway.origin}/mcp` } as const
  await using client = await sdkV1.connect(endpoint, { capabilities: {} })
  const leaving = new AbortController()
  const call = (name: string, signal?: AbortSignal) =>
    client.request('tools/call', { name, arguments: {} }, signal && { signal }).catch(() => {})
  void call('two__wait')
  void call('one__wait')
  const taken = call('one__wait', leaving.signal)
  await expect.poll(() => called(logs.one)).toEqual(['wait', 'wait'])
  await expect.poll(() => called(logs.two)).toEqual(['wait'])
  leaving.abort('enough')
  await taken
  await expect.poll(() => cancelled(logs.one)).toHaveLength(1)
  const waits = (await readLog(logs.one)).filter(({ method }) => method === 'tools/call')
  expect(await cancelled(logs.one)).toEqual([{ requestId: waits[1]?.id, reason: 'enough' }])
  expect(await client.callTool('one__echo', {})).toHaveProperty('content')
  expect(await cancelled(logs.two)).toEqual([])
})

test('a server is asked nothing before it has shaken hands, and nothing that it cannot know', async () => {
  await using folder = await openTemporaryFolder()
  const log = join(folder.path, 'log')
  const one = caseServer({ log })
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  await client.names()
  await client.text('one__echo')
  const methods = (await readLog(log)).map(({ method }) => method)
  expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call'])
  const [initialize] = await readLog(log)
  expect(asObject(initialize?.params).protocolVersion).toBe('2025-11-25')
})

test('arguments reach a server as they are, whatever a shell would make of them', async () => {
  const args = [
    '$(id)',
    '`id`',
    '; exit 1',
    '&& x | y > z',
    '*',
    '~',
    '"a" \'b\'',
    'c\\d',
    '%PATH%',
  ]
  const one = caseServer({ tells: true }, ...args, '$${HOME}')
  const config = { mcpServers: { one } }
  await using gateway = await openGateway({ config, args: ['--verbose'] })
  await using client = await openClient(`${gateway.origin}/mcp`)
  expect(await client.text('one__echo')).toMatch(/^echo/)
  expect(linesOf(gateway, 'one')).toEqual(expect.arrayContaining([...args, '$' + '{HOME}']))
})

async function called(log: string): Promise<unknown[]> {
  const calls = (await readLog(log)).filter(({ method }) => method === 'tools/call')
  return calls.map(({ params }) => asObject(params).name)
}

async function cancelled(log: string): Promise<unknown[]> {
  const messages = await readLog(log)
  return messages
    .filter(({ method }) => method === 'notifications/cancelled')
    .map(({ params }) => params)
}
