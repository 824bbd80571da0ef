import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { probeCommand } from '@mobius-mcp/testing/fidelity/probe-process.ts'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { startMobius, startServing } from './support/mobius.ts'

const slowServer = fileURLToPath(new URL('./support/slow-server.mjs', import.meta.url))
const { command, args } = probeCommand({})
const probe = { command, args, env: { PROBE_TAG: 'probe' } }
const files = { 'mobius.yaml': JSON.stringify({ mcpServers: { probe } }) }

test('a signal lets calls in flight end, then stops it and its children', async () => {
  const slow = { command: process.execPath, args: [slowServer] }
  const config = { 'mobius.yaml': JSON.stringify({ mcpServers: { slow } }) }
  await using mobius = await startServing(['--verbose'], { files: config })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const running = client.callTool({ name: 'slow__answer', arguments: {} })
  await mobius.said(/"message":"called"/)
  mobius.child.kill('SIGTERM')
  await mobius.said(/SIGTERM: waiting for calls in flight/)
  expect(await statusOf(`${mobius.origin}/readyz`)).toBe(503)
  expect(await running).toEqual({ content: [{ type: 'text', text: 'late, but here' }] })
  expect(await mobius.ended()).toBe(0)
})

test('a second signal stops it at once, and its children with it', async () => {
  await using mobius = await startServing([], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const pid = await probePid(client)
  const waiting = client.callTool({ name: 'probe__wait', arguments: {} }).catch(() => {})
  await client.callTool({ name: 'probe__echo', arguments: {} })
  mobius.child.kill('SIGINT')
  await mobius.said(/SIGINT: waiting for calls in flight/)
  mobius.child.kill('SIGINT')
  expect(await mobius.ended()).toBe(1)
  await waiting
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('servers that are deaf to everything are killed, and hold it up for seconds at most', async () => {
  const deaf = { command: process.execPath, args: [slowServer, 'deaf'] }
  const mcpServers = { one: deaf, two: deaf, three: deaf }
  const config = { 'mobius.yaml': JSON.stringify({ mcpServers }) }
  await using mobius = await startServing([], { files: config })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  for (const name of Object.keys(mcpServers)) {
    await client.callTool({ name: `${name}__answer`, arguments: {} })
  }
  const children = childrenOf(mobius.child.pid)
  expect(children).toHaveLength(3)
  const begin = performance.now()
  mobius.child.kill('SIGTERM')
  expect(await mobius.ended()).toBe(0)
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(children.filter(isAlive)).toEqual([])
}, 20_000)

test('mobius stdio ends with its stdin, says nothing else on stdout, and takes its children along', async () => {
  await using mobius = await startMobius(['stdio'], { files })
  const send = (message: object) => mobius.child.stdin?.write(`${JSON.stringify(message)}\n`)
  const clientInfo = { name: 'pipe', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  send({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'probe__state', arguments: {} },
  })
  const lines = async () => {
    while (mobius.output.stdout.split('\n').length < 3) {
      if (mobius.child.stdout) await once(mobius.child.stdout, 'data')
    }
    return mobius.output.stdout.trim().split('\n')
  }
  const messages = (await lines()).map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(messages.map(({ id }) => id)).toEqual([1, 2])
  const pid = Number(/"pid\\*":(\d+)/.exec(mobius.output.stdout)?.[1])
  expect(isAlive(pid)).toBe(true)
  mobius.child.stdin?.end()
  expect(await mobius.ended()).toBe(0)
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(mobius.output.stderr).toBe('')
})

test('mobius stdio whose client goes away without a word ends without one, and takes its children along', async () => {
  await using mobius = await startMobius(['stdio'], { files })
  const send = (message: object) => mobius.child.stdin?.write(`${JSON.stringify(message)}\n`)
  const clientInfo = { name: 'pipe', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const call = { method: 'tools/call', params: { name: 'probe__state', arguments: {} } }
  send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  send({ jsonrpc: '2.0', id: 2, ...call })
  await expect.poll(() => mobius.output.stdout).toContain('"id":2')
  const pid = Number(/"pid\\*":(\d+)/.exec(mobius.output.stdout)?.[1])
  mobius.child.stdout?.destroy()
  // Its stdin stays open: only what it writes can tell it.
  send({ jsonrpc: '2.0', id: 3, ...call })
  expect(await mobius.ended()).toBe(0)
  expect(mobius.output.stderr).toBe('')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a killed gateway leaves no child behind', async () => {
  await using mobius = await startServing([], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const pid = await probePid(client)
  mobius.child.kill('SIGKILL')
  await mobius.ended()
  await expect.poll(() => isAlive(pid), { timeout: 3000 }).toBe(false)
})

/** Asks on a connection of its own: a pooled one may be closing just now. */
async function statusOf(url: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

async function probePid(client: Awaited<ReturnType<typeof connectClient>>): Promise<number> {
  const result = await client.callTool({ name: 'probe__state', arguments: {} })
  const [, pid] = /"pid":(\d+)/.exec(JSON.stringify(result).replaceAll('\\', '')) ?? []
  expect(Number(pid)).toBeGreaterThan(0)
  return Number(pid)
}

/** A dead process that nobody has waited for still has a pid, so its state is looked at too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function childrenOf(parent: number | undefined): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      return new RegExp(`^PPid:\\s*${parent}$`, 'm').test(
        readFileSync(`/proc/${pid}/status`, 'utf8'),
      )
    } catch {
      return false
    }
  })
}
