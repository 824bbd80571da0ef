import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { type Mobius, startServing } from './support/mobius.ts'

const script = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))
const callsOfEach = 50

test('200 calls in flight end on the configuration that they began with, whatever changes meanwhile', async () => {
  await using mobius = await startServing(['--verbose'], {
    files: { 'mobius.yaml': toFile({ changed: 'v1', removed: 'v1', broken: 'v1', kept: 'v1' }) },
    env: { GATE: 'open' },
  })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  await using neighbour = await connectClient(`${mobius.origin}/mcp/s/kept`)
  const told = { client: 0, neighbour: 0 }
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told.client += 1
  })
  neighbour.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told.neighbour += 1
  })
  await client.listTools()
  await neighbour.listTools()
  const before = await say(client, 'kept')

  const servers = ['changed', 'removed', 'broken', 'kept']
  const inFlight = servers.flatMap((server) =>
    Array.from({ length: callsOfEach }, () =>
      client.callTool({ name: `${server}__hold`, arguments: {} }),
    ),
  )
  const holding = () => mobius.output.stderr.split(`"holds ${callsOfEach}"`).length - 1
  await expect.poll(holding).toBe(servers.length)
  const figures = await (await fetch(`${mobius.origin}/metrics`)).text()
  expect(figures).toContain(`mobius_calls_in_flight{server="kept"} ${callsOfEach}\n`)

  await edit(mobius, toFile({ changed: 'v2', broken: undefined, kept: 'v1' }, { hooked: true }))
  await mobius.said(/Configuration: server removed: removed/)
  await mobius.said(/Configuration: server changed: changed/)
  await mobius.said(/Configuration: server broken: changed/)
  await mobius.said(/Configuration: hook .*: added/)

  expect(await say(client, 'changed')).toMatch(/^v2 /)
  await expect(client.callTool({ name: 'removed__say', arguments: {} })).rejects.toThrow(
    'Unknown tool: removed__say',
  )
  await expect(client.callTool({ name: 'broken__say', arguments: {} })).rejects.toThrow(
    /not available: broken \(Could not start .*no such command/,
  )
  await expect(client.callTool({ name: 'kept__say', arguments: { secret: 1 } })).rejects.toThrow(
    /was refused.*no secrets here/,
  )
  expect(await say(client, 'kept')).toBe(before)

  await writeFile(join(mobius.folder, 'open'), '')
  const answers = await Promise.all(inFlight)
  expect(answers).toHaveLength(200)
  for (const answer of answers) expect(answer).toEqual({ content: [{ type: 'text', text: 'v1' }] })
  await expect.poll(() => told.client).toBeGreaterThan(0)
  expect(told.neighbour).toBe(0)
})

test('a broken edit changes nothing and says so, and the next good one counts', async () => {
  const good = toFile({ kept: 'v1' })
  await using mobius = await startServing([], { files: { 'mobius.yaml': good } })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const before = await say(client, 'kept')
  await edit(mobius, `${good}\nmcpServers: { kept: { comand: ls }`)
  await mobius.said(/The edit is not used, what was in use stays/)
  expect(await say(client, 'kept')).toBe(before)
  await edit(mobius, toFile({ kept: 'v2' }))
  await mobius.said(/Configuration: server kept: changed/)
  expect(await say(client, 'kept')).toMatch(/^v2 /)
})

test('a configuration that comes to be while the gateway runs is used', async () => {
  await using mobius = await startServing()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  await client.listTools()
  await edit(mobius, toFile({ late: 'v1' }))
  await mobius.said(/Configuration: server late: added/)
  expect(await say(client, 'late')).toMatch(/^v1 /)
})

test('how much is logged and in which form is taken over while it runs', async () => {
  const files = { 'mobius.yaml': 'log: { level: error, format: human }' }
  await using mobius = await startServing([], { files })
  await edit(mobius, 'log: { level: debug, format: json }')
  const [line] = await mobius.said(/^.*Configuration: log: changed.*$/m)
  expect(JSON.parse(line)).toMatchObject({ level: 'info', message: 'Configuration: log: changed' })
  await edit(mobius, 'log: { level: debug, format: human, hookTrace: true }')
  await mobius.said(/^(?!\{).*Configuration: log: changed$/m)
})

test('what cannot be taken over says that it needs a restart', async () => {
  const files = { 'mobius.yaml': 'http: { listen: 127.0.0.1:1 }' }
  await using mobius = await startServing([], { files })
  await edit(
    mobius,
    'http: { listen: 127.0.0.1:2, keys: [{ name: ci, key: 0123456789abcdef0123 }] }',
  )
  await mobius.said(/http\.listen: changed, and needs a restart/)
  await mobius.said(/http\.keys: changed, and needs a restart/)
  // Whoever was let in before still is: the doors are as they were built.
  await using client = await connectClient(`${mobius.origin}/mcp`)
  await client.ping()
})

/** A configuration of held servers, by their versions; one without a version does not start. */
function toFile(
  versions: Readonly<Record<string, string | undefined>>,
  { hooked = false } = {},
): string {
  const mcpServers = Object.fromEntries(
    Object.entries(versions).map(([name, version]) => [
      name,
      version === undefined
        ? { command: 'no-such-command-at-all' }
        : { command: process.execPath, args: [script], env: { VERSION: version, GATE: './open' } },
    ]),
  )
  const hooks = {
    'tools/call?server=kept&name=say': [{ target: 'kept/check', if: 'kept/say(secret: *)' }],
  }
  return JSON.stringify({ mcpServers, ...(hooked ? { hooks } : {}) })
}

/** Saves as editors do: beside, and renamed. */
async function edit(mobius: Mobius, text: string): Promise<void> {
  const path = join(mobius.folder, 'mobius.yaml')
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

async function say(client: Client, server: string): Promise<string> {
  const { content } = await client.callTool({ name: `${server}__say`, arguments: {} })
  const [first] = content as readonly { text: string }[]
  return first?.text ?? ''
}
