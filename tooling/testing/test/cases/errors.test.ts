import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import { openTemporaryFolder } from '../../src/index.ts'
import { caseServer } from './support/case-server.ts'
import { openClient, pidIn } from './support/client.ts'

vi.setConfig({ testTimeout: 20_000 })

// What is not there, what is not well, and how a client tells the two apart.

test('what nobody has is -32602 or, for a resource, -32002; what cannot be is -32602', async () => {
  await using gateway = await openGateway({ config: { mcpServers: { one: caseServer() } } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  expect(await client.text('one__nowhere')).toBe('-32602 Unknown tool: one__nowhere')
  const read = (uri: unknown) => client.ask('resources/read', { uri })
  expect(await read('server:///nobody')).toMatchObject({
    error: { code: -32002, data: { uri: 'server:///nobody' } },
  })
  for (const uri of ['not a uri', 7, undefined]) {
    expect(await read(uri), String(uri)).toMatchObject({ error: { code: -32602 } })
  }
})

test('a known tool of a server that does not start any more is an error of its own, which names server and cause', async () => {
  await using folder = await openTemporaryFolder()
  const broken = join(folder.path, 'broken')
  const one = caseServer({ endsWith: broken })
  const mcpServers = { one, two: caseServer() }
  await using gateway = await openGateway({ config: { mcpServers } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  expect(await client.names()).toContain('one__echo')
  const pid = pidIn(await client.text('one__echo'))
  await writeFile(broken, '')
  process.kill(pid, 'SIGKILL')
  const dead = /^-32005 Server "one" is not available: .*exited with code 3 before it answered/
  await expect.poll(() => client.text('one__echo')).toMatch(dead)
  expect(await client.text('two__echo')).toMatch(/^echo by/)
  expect(await client.names()).toEqual(expect.arrayContaining(['one__echo', 'two__echo']))
  await rm(broken)
  await expect.poll(() => client.text('one__echo'), { timeout: 10_000 }).toMatch(/^echo by/)
})

test('a body at the limit passes, one byte more is 413 as JSON-RPC with the limit, and no JSON is 400', async () => {
  const maxBodyBytes = 100_000
  const mcpServers = { one: caseServer() }
  await using gateway = await openGateway({ config: { mcpServers, http: { maxBodyBytes } } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  const send = async (body: string): Promise<{ status: number; answer: unknown }> => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': client.id,
    }
    const response = await fetch(`${gateway.origin}/mcp`, { method: 'POST', headers, body })
    return { status: response.status, answer: await response.json() }
  }
  const call = (size: number): string => {
    const params = { name: 'one__echo', arguments: { pad: '' } }
    const empty = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return empty.replace('"pad":""', `"pad":"${'x'.repeat(size - empty.length)}"`)
  }
  expect(await send(call(maxBodyBytes))).toMatchObject({
    status: 200,
    answer: { id: 1, result: {} },
  })
  expect(await send(call(maxBodyBytes + 1))).toMatchObject({
    status: 413,
    answer: { jsonrpc: '2.0', error: { message: expect.stringContaining('100000 bytes') } },
  })
  expect(await send('{"jsonrpc":')).toMatchObject({
    status: 400,
    answer: { jsonrpc: '2.0', error: { code: -32700 } },
  })
})
