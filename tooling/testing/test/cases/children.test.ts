import { expect, test, vi } from 'vitest'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import type { JsonObject } from '../../src/probe/recording.ts'
import { caseServer } from './support/case-server.ts'
import { type CaseClient, openClient, pidIn } from './support/client.ts'
import { descendantsOf, isRunning } from './support/processes.ts'

vi.setConfig({ testTimeout: 20_000 })

// How many processes a gateway has is a function of its configuration and its live sessions.

const servers = { one: caseServer(), two: caseServer() }

test('each session has one child for each server that it has called, and none when it has ended', async () => {
  await using gateway = await openGateway({ config: { mcpServers: servers } })
  expect(await descendantsOf(gateway.pid)).toEqual([])
  const clients = await openClients(`${gateway.origin}/mcp`, 3)
  for (const client of clients) await useBoth(client)
  expect(await descendantsOf(gateway.pid)).toHaveLength(6)
  for (const client of clients) await client[Symbol.asyncDispose]()
  await expectChildren(gateway.pid, 0)
})

test('asking again and again starts nothing again', async () => {
  await using gateway = await openGateway({ config: { mcpServers: servers } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  await useBoth(client)
  const children = await descendantsOf(gateway.pid)
  for (let round = 0; round < 20; round++) {
    await client.names()
    await client.text('one__nowhere')
    await useBoth(client)
  }
  expect(await descendantsOf(gateway.pid)).toEqual(children)
})

test('a child that everybody shares is one, however many there are', async () => {
  const one = { ...caseServer(), sharing: 'process' }
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  const pids: string[] = []
  for (let session = 0; session < 5; session++) {
    await using client = await openClient(`${gateway.origin}/mcp`)
    pids.push(await client.text('one__echo'))
  }
  expect(new Set(pids).size).toBe(1)
  expect(await descendantsOf(gateway.pid)).toHaveLength(1)
})

test('clients that never say goodbye lose their children when their session expires', async () => {
  const config = { mcpServers: servers, http: { sessions: { idleTimeout: '1500ms' } } }
  await using gateway = await openGateway({ config })
  const clients = await openClients(`${gateway.origin}/mcp`, 3)
  for (const client of clients) await useBoth(client)
  await expectChildren(gateway.pid, 0)
  for (const client of clients) await expectGone(client)
})

test('beyond the limit of sessions the one that was idle for longest goes, with its children', async () => {
  const config = { mcpServers: servers, http: { sessions: { max: 2 } } }
  await using gateway = await openGateway({ config })
  const url = `${gateway.origin}/mcp`
  const [first, second] = await openClients(url, 2)
  if (!first || !second) throw new Error('There are two clients')
  await useBoth(first)
  await useBoth(second)
  for (let more = 0; more < 5; more++) await useBoth(await openClient(url))
  await expectChildren(gateway.pid, 4)
  await expectGone(first)
  await expectGone(second)
})

test('a session with an open stream is not the one that goes', async () => {
  const config = { mcpServers: servers, http: { sessions: { max: 1 } } }
  await using gateway = await openGateway({ config })
  const url = `${gateway.origin}/mcp`
  const first = await openClient(url)
  await useBoth(first)
  const stream = await first.listen()
  await expect(openClient(url)).rejects.toThrow('503')
  await useBoth(first)
  stream.cut()
  await expect.poll(() => openClient(url).then(useBoth, () => [])).toHaveLength(2)
  await expectGone(first)
  await expectChildren(gateway.pid, 2)
})

test('a child that nobody uses is stopped, and started again by the next call', async () => {
  const one = { ...caseServer(), idleTimeout: '300ms' }
  await using gateway = await openGateway({ config: { mcpServers: { one } } })
  await using client = await openClient(`${gateway.origin}/mcp`)
  const before = pidIn(await client.text('one__echo'))
  await expect.poll(() => isRunning(before), { timeout: 5_000 }).toBe(false)
  const after = pidIn(await client.text('one__echo'))
  expect(after).toBeGreaterThan(0)
  expect(after).not.toBe(before)
})

async function openClients(url: string, count: number): Promise<CaseClient[]> {
  return await Promise.all(Array.from({ length: count }, () => openClient(url)))
}

/** Calls both servers; gives their processes. */
async function useBoth(client: CaseClient): Promise<number[]> {
  const pids = [await client.text('one__echo'), await client.text('two__echo')].map(pidIn)
  expect(pids.every((pid) => pid > 0)).toBe(true)
  return pids
}

async function expectChildren(pid: number, count: number): Promise<void> {
  await expect.poll(() => descendantsOf(pid), { timeout: 5_000 }).toHaveLength(count)
}

/** A session that is over is 404 to its client. */
async function expectGone(client: CaseClient): Promise<void> {
  const ping: JsonObject = { jsonrpc: '2.0', id: 'gone', method: 'ping' }
  const answer = await client.post(ping)
  await answer.messages()
  expect(answer.status).toBe(404)
}
