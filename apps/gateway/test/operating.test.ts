import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mobiusCommand } from '@mobius-mcp/testing/fidelity/gateway-process.ts'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { type Mobius, runMobius, startMobius, startServing } from './support/mobius.ts'

const script = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))
const held = {
  command: process.execPath,
  args: [script],
  env: { VERSION: 'v1' },
  sharing: 'process',
}
const bossKey = 'boss-0123456789abcdef0123'

function toFiles(more: object): Record<string, string> {
  return { 'mobius.yaml': JSON.stringify({ mcpServers: { held }, ...more }) }
}

const asking = toFiles({ permissions: { ask: ['held/say'] } })

/** Runs a command beside a gateway, as the same person. */
function beside(mobius: Mobius, args: string[]) {
  return runMobius(args, { env: { MOBIUS_STATE: join(mobius.folder, 'state') } })
}

test('a call that a rule asks about waits until a person at the machine says yes', async () => {
  await using mobius = await startServing([], { files: asking })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const call = client.callTool({ name: 'held__say', arguments: { to: 'Anna' } })
  const [, id = ''] = await mobius.said(/Answer: mobius approve (\w+)/)
  const listed = await beside(mobius, ['questions'])
  expect(listed.stdout).toContain(id)
  expect(listed.stdout).toContain(
    'May local, by client gateway-test, call held/say (ask held/say)? Arguments: {"to":"Anna"}',
  )
  const approved = await beside(mobius, ['approve', id])
  expect([approved.code, approved.stderr]).toEqual([0, 'Approved.\n'])
  expect(await call).toMatchObject({ content: [{ text: expect.stringContaining('Anna') }] })
  const again = await beside(mobius, ['approve', id])
  expect(again.code).toBe(1)
  expect(again.stderr).toContain(`No open question has the id "${id}"`)
})

test('a no and its reason reach whoever called', async () => {
  await using mobius = await startServing([], { files: asking })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const call = client.callTool({ name: 'held__say', arguments: {} })
  const [, id = ''] = await mobius.said(/Answer: mobius approve (\w+)/)
  const refused = expect(call).rejects.toThrow(/held\/say was refused: .*not on a Friday/)
  expect((await beside(mobius, ['deny', id, '--reason', 'not on a Friday'])).code).toBe(0)
  await refused
  expect((await beside(mobius, ['questions'])).stderr).toBe('Nothing waits for an answer.\n')
})

test('an operator whose client can ask is asked there', async () => {
  const files = toFiles({
    permissions: { ask: ['held/say'] },
    http: {
      keys: [
        { name: 'ci', key: 'ci-0123456789abcdef0123' },
        { name: 'boss', key: bossKey, scopes: ['operator'] },
      ],
    },
  })
  await using mobius = await startServing([], { files })
  const boss = new Client({ name: 'boss', version: '1' }, { capabilities: { elicitation: {} } })
  const asked: string[] = []
  boss.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { decision: 'approve' } }
  })
  const headers = { authorization: `Bearer ${bossKey}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${mobius.origin}/mcp`), {
    requestInit: { headers },
  })
  await boss.connect(transport as Transport)
  await using client = await connectClient(`${mobius.origin}/mcp`, {
    authorization: 'Bearer ci-0123456789abcdef0123',
  })
  const answer = await client.callTool({ name: 'held__say', arguments: {} })
  expect(answer).toMatchObject({ content: [{ text: expect.stringMatching(/^v1 /) }] })
  expect(asked).toEqual([
    'May ci, by client gateway-test, call held/say (ask held/say)? Arguments: {}',
  ])
  await boss.close()
})

test('commands go through the gateway that runs, and share what it has', async () => {
  await using mobius = await startServing([], { files: toFiles({}) })
  const say = async () => (await beside(mobius, ['call', 'held/say'])).stdout
  const first = await say()
  expect(first).toMatch(/^v1 \{\} \d+\n$/)
  expect(await say()).toBe(first)
  const tools = await beside(mobius, ['tools'])
  expect(tools.stdout).toContain('held__say')
  const servers = await beside(mobius, ['servers', '--json'])
  expect(JSON.parse(servers.stdout)).toEqual([
    expect.objectContaining({ name: 'meta', state: 'ready' }),
    expect.objectContaining({ name: 'assistant', kind: 'built-in' }),
    expect.objectContaining({ name: 'held', state: 'ready', connections: 1 }),
  ])
})

test('mobius stdio serves from the gateway that runs', async () => {
  await using mobius = await startServing([], { files: toFiles({}) })
  const client = new Client({ name: 'desk', version: '1' })
  const { PATH = '' } = process.env
  const { command, args } = mobiusCommand(['stdio'])
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args],
      env: { PATH, HOME: mobius.folder, MOBIUS_STATE: join(mobius.folder, 'state') },
    }),
  )
  const { content } = await client.callTool({ name: 'held__say', arguments: {} })
  const [first] = content as readonly { text: string }[]
  expect(`${first?.text}\n`).toBe((await beside(mobius, ['call', 'held/say'])).stdout)
  await client.close()
})

test('a command that names another configuration works by itself', async () => {
  await using mobius = await startServing([], { files: toFiles({}) })
  const own = await runMobius(['tools', '--config', 'own.yaml'], {
    files: { 'own.yaml': 'publish: [meta]' },
    env: { MOBIUS_STATE: join(mobius.folder, 'state') },
  })
  expect(own.stdout).toContain('meta__list_servers')
  expect(own.stdout).not.toContain('held')
})

test('the record of calls is shown as it grows, and outlives the gateway', async () => {
  await using mobius = await startServing([], { files: toFiles({}) })
  await using following = await startMobius(['logs', '--follow'], {
    env: { MOBIUS_STATE: join(mobius.folder, 'state') },
  })
  await beside(mobius, ['call', 'held/say'])
  await expect
    .poll(() => following.output.stdout, { timeout: 4000 })
    .toMatch(/✓ held\/say .* client .* for local .*\[default: /)
  following.child.kill('SIGTERM')
  expect(await following.ended()).toBe(0)
  mobius.child.kill('SIGTERM')
  expect(await mobius.ended()).toBe(0)
  const { stdout } = await beside(mobius, ['logs', '--json'])
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records).toContainEqual(
    expect.objectContaining({
      event: expect.objectContaining({ server: 'held', name: 'say', outcome: 'ok' }),
    }),
  )
})

test('approving needs a gateway that runs', async () => {
  const { code, stderr, folder } = await runMobius(['approve', 'abc'])
  expect(code).toBe(2)
  expect(stderr.replaceAll(folder, '')).toMatchInlineSnapshot(`
    "Cannot approve a call: no gateway runs on the state folder /state. Start one with \`mobius serve\`, or name another folder with --state
    "
  `)
})
