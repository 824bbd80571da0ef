import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type GatewayProcess, openGateway } from '../../src/fidelity/gateway-process.ts'
import { openHttpProbe, probeCommand } from '../../src/fidelity/probe-process.ts'
import { caseServer } from './support/case-server.ts'
import { openClient } from './support/client.ts'
import { type Held, measurable, measure } from './support/measure.ts'
import { descendantsOf } from './support/processes.ts'

// What a gateway holds does not depend on what it has done.

/** What a collected heap may differ by; anything kept for each call would be several times that. */
const noise = 1_500_000

test('after 10,000 calls to servers over stdio and HTTP a gateway holds what it held before', async () => {
  await using probe = await openHttpProbe({})
  const mcpServers = { pipe: caseServer(), web: { url: probe.url } }
  await using gateway = await openGateway({ config: { mcpServers }, env: measurable })
  const url = `${gateway.origin}/mcp`
  await using client = await openClient(url)
  const call = async (count: number): Promise<void> => {
    using agent = openAgent()
    await Promise.all(
      Array.from({ length: 16 }, async (_, worker) => {
        for (let turn = 0; turn < count / 16; turn++) {
          const name = (turn + worker) % 2 === 0 ? 'pipe__echo' : 'web__echo'
          await post(url, agent, client.id, name)
        }
      }),
    )
  }
  await call(3_000)
  const before = await measure(gateway)
  await call(10_000)
  await expectHeld(gateway, before)
}, 120_000)

test('after 100 clients that came and went, and servers that did, a gateway holds what it held before', async () => {
  await using probe = await openHttpProbe({})
  const { command, args } = probeCommand({})
  const mcpServers = {
    web: { url: probe.url },
    shared: { command, args, sharing: 'process' },
  }
  const http = { sessions: { idleTimeout: '300ms' } }
  await using gateway = await openGateway({ config: { mcpServers, http }, env: measurable })
  const come = async (count: number): Promise<void> => {
    for (let session = 0; session < count; session++) {
      const client = await openClient(`${gateway.origin}/mcp`)
      const stream = await client.listen()
      await client.names()
      await client.call('web__echo', {})
      await client.call('shared__echo', {})
      if (session % 25 === 7) await probe.restart()
      if (session % 25 === 8) process.kill(Number((await descendantsOf(gateway.pid))[0]), 'SIGKILL')
      // Half of them are gone without a word.
      if (session % 2 === 0) await client[Symbol.asyncDispose]()
      stream.cut()
    }
  }
  await come(30)
  const before = await settled(gateway)
  await come(100)
  await expectHeld(gateway, before)
}, 120_000)

/** What is held once every session has expired. */
async function settled(gateway: GatewayProcess): Promise<Held> {
  let held = await measure(gateway)
  await expect
    .poll(
      async () => {
        const last = held
        held = await measure(gateway)
        return JSON.stringify(held.resources) === JSON.stringify(last.resources)
      },
      { interval: 1_000, timeout: 20_000 },
    )
    .toBe(true)
  return held
}

async function expectHeld(gateway: GatewayProcess, before: Held): Promise<void> {
  const { resources, listeners } = before
  await expect
    .poll(() => measure(gateway), { interval: 500, timeout: 20_000 })
    .toMatchObject({ resources, listeners, warnings: [] })
  expect((await measure(gateway)).heap - before.heap).toBeLessThan(noise)
}

function openAgent(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

async function post(url: string, agent: Agent, session: string, name: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': session,
  }
  const params = { name, arguments: { some: 'text' } }
  request(url, { method: 'POST', agent, headers }, (response) => {
    json(response).then(resolve, reject)
  })
    .on('error', reject)
    .end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  expect(await promise).toHaveProperty('result')
}
