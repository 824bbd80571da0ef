import { mkdtempDisposable, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, openEverythingOverHttp } from '../../src/counterparts/everything-over-http.ts'
import {
  counterpart,
  counterpartsInstalled,
  howToInstall,
} from '../../src/counterparts/installed.ts'
import { run } from '../../src/counterparts/run.ts'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { sdkV2 } from '../../src/fidelity/driver-v2.ts'
import {
  type GatewayProcess,
  mobiusCommand,
  openGateway,
} from '../../src/fidelity/gateway-process.ts'
import type { Driver, Endpoint } from '../../src/fidelity/target.ts'

// Real servers from npm behind one gateway, two broken ones among them, called by real clients.

const installed = counterpartsInstalled()
if (!installed)
  console.warn(`Left out, because the counterparts are not here. Run: ${howToInstall}`)

const asking = { roots: { listChanged: true }, sampling: {}, elicitation: {} }
const broken = {
  missing: { command: 'mobius-test-no-such-command' },
  crashing: {
    command: process.execPath,
    args: ['-e', 'console.error("no licence"); process.exit(3)'],
  },
}

interface Sample {
  server: string
  tool: string
  args: Record<string, unknown>
  answer: RegExp
}

const lifetime = new AsyncDisposableStack()
let folder: string
let file: string
let gateway: GatewayProcess

function samples(): Sample[] {
  return [
    { server: 'everything', tool: 'echo', args: { message: 'hello' }, answer: /Echo: hello/ },
    { server: 'everything-http', tool: 'echo', args: { message: 'web' }, answer: /Echo: web/ },
    { server: 'filesystem', tool: 'list_directory', args: { path: folder }, answer: /hello\.txt/ },
    { server: 'memory', tool: 'read_graph', args: {}, answer: /entities/ },
    { server: 'thinking', tool: 'sequentialthinking', args: thought, answer: /thoughtNumber/ },
  ]
}

const thought = { thought: 'one', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }

beforeAll(async () => {
  if (!installed) return
  const { path } = lifetime.use(await mkdtempDisposable(join(tmpdir(), 'counterparts-')))
  folder = await realpath(path)
  await writeFile(join(folder, 'hello.txt'), 'hello')
  const web = lifetime.use(await openEverythingOverHttp())
  const config = {
    mcpServers: {
      everything: { command: counterpart('mcp-server-everything'), args: ['stdio'] },
      'everything-http': { url: web.url },
      filesystem: { command: counterpart('mcp-server-filesystem'), args: [folder] },
      memory: {
        command: counterpart('mcp-server-memory'),
        env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      },
      thinking: { command: counterpart('mcp-server-sequential-thinking') },
      ...broken,
    },
  }
  file = join(folder, 'mobius.json')
  await writeFile(file, JSON.stringify(config))
  gateway = lifetime.use(await openGateway({ config }))
}, 30_000)

afterAll(() => lifetime.disposeAsync())

const clients: Record<string, () => Promise<{ driver: Driver; endpoint: Endpoint }>> = {
  'SDK v1': async () => ({ driver: sdkV1, endpoint: overHttp() }),
  'SDK v2': async () => ({ driver: sdkV2, endpoint: overHttp() }),
  'an SDK stdio client over mobius stdio': async () => ({
    driver: sdkV1,
    endpoint: mobiusCommand(['stdio', file, '--state', join(folder, 'state')]),
  }),
  'mcp-remote': async () => ({ driver: sdkV1, endpoint: await remoteCommand() }),
}

describe.skipIf(!installed)('real servers behind one gateway', () => {
  for (const [name, open] of Object.entries(clients)) {
    test(`${name} calls each of them`, { timeout: 30_000 }, async () => {
      const { driver, endpoint } = await open()
      await using client = await driver.connect(endpoint, { capabilities: {} })
      for (const { server, tool, args, answer } of samples()) {
        const result = await client.callTool(`${server}__${tool}`, args)
        expect(JSON.stringify(result), `${server}/${tool}`).toMatch(answer)
        expect(result.isError, `${server}/${tool}`).toBeFalsy()
      }
    })
  }

  test('mcp-inspector --cli calls each of them', { timeout: 60_000 }, async () => {
    for (const { server, tool, args, answer } of samples()) {
      const options = Object.entries(args).flatMap(([key, value]) => [
        '--tool-arg',
        `${key}=${value}`,
      ])
      const name = ['--tool-name', `${server}__${tool}`]
      const target = ['--cli', `${gateway.origin}/mcp`, '--transport', 'http']
      const command = [...target, '--method', 'tools/call', ...name, ...options]
      const { code, stdout, stderr } = await run(counterpart('mcp-inspector'), command)
      expect(stdout + stderr, `${server}/${tool}`).toMatch(answer)
      expect(code, stderr).toBe(0)
    }
  })

  test('a server offers what the client can be asked for: 16 tools, else 13', async () => {
    for (const server of ['everything', 'everything-http']) {
      const endpoint: Endpoint = { kind: 'http', url: `${gateway.origin}/mcp/s/${server}` }
      await using able = await sdkV1.connect(endpoint, { capabilities: asking })
      await using plain = await sdkV1.connect(endpoint, { capabilities: {} })
      await expect.poll(() => countTools(able), { timeout: 3000 }).toBe(16)
      expect(await countTools(plain), server).toBe(13)
    }
    await using able = await sdkV1.connect(overHttp(), { capabilities: asking })
    await expect.poll(() => countTools(able, 'everything__'), { timeout: 3000 }).toBe(16)
  })

  test('broken servers are named with their reason, and nothing else is disturbed', async () => {
    const command = mobiusCommand([
      'servers',
      '-c',
      file,
      '--json',
      '--state',
      join(folder, 'state'),
    ])
    const { code, stdout } = await run(command.command, command.args)
    const states = JSON.parse(stdout) as { name: string; state: string; reason?: string }[]
    const byName = Object.fromEntries(states.map(({ name, ...rest }) => [name, rest]))
    expect(code).toBe(1)
    expect(byName.missing).toMatchObject({
      state: 'waiting',
      reason: expect.stringMatching(/mobius-test-no-such-command.*no such command/),
    })
    expect(byName.crashing).toMatchObject({
      state: 'waiting',
      reason: expect.stringMatching(/exited with code 3.*no licence/),
    })
    for (const name of ['everything', 'everything-http', 'filesystem', 'memory', 'thinking']) {
      expect(byName[name], name).toMatchObject({ state: 'ready' })
    }
  })

  test('a call to a broken server says which one it is and why', async () => {
    await using client = await sdkV1.connect(
      { kind: 'http', url: `${gateway.origin}/mcp` },
      { capabilities: {} },
    )
    await expect(client.callTool('crashing__anything', {})).rejects.toThrow(
      /crashing.*exited with code 3.*no licence/,
    )
  })
})

function overHttp(): Endpoint {
  return { kind: 'http', url: `${gateway.origin}/mcp` }
}

async function remoteCommand(): Promise<Endpoint> {
  const args = [`${gateway.origin}/mcp`, String(await freePort()), '--allow-http']
  const env = { MCP_REMOTE_CONFIG_DIR: join(folder, 'mcp-remote') }
  return { kind: 'stdio', command: counterpart('mcp-remote'), args, env }
}

async function countTools(
  client: Awaited<ReturnType<Driver['connect']>>,
  prefix = '',
): Promise<number> {
  const { tools } = (await client.request('tools/list', {})) as { tools: { name: string }[] }
  return tools.filter(({ name }) => name.startsWith(prefix)).length
}
