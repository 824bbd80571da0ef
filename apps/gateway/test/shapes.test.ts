import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { runMobius, startServing } from './support/mobius.ts'

const script = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))
const [command, args, env] = [process.execPath, [script], { VERSION: 'v1' }]
const held = { command, args, env }

interface Shape {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** What is named on the command line. */
  readonly path: string
}

const yaml = (value: object) => JSON.stringify(value, null, 2)

const shapes: readonly Shape[] = [
  {
    name: 'our own file',
    path: 'mobius.yaml',
    files: { 'mobius.yaml': `# ours\nmcpServers:\n  held: ${JSON.stringify(held)}\n` },
  },
  {
    name: 'a folder of ours',
    path: 'setup',
    files: { 'setup/mobius.yaml': yaml({ mcpServers: { held } }) },
  },
  {
    name: 'a project file of Claude Code',
    path: '.mcp.json',
    files: { '.mcp.json': yaml({ mcpServers: { held: { type: 'stdio', ...held } } }) },
  },
  {
    name: 'VS Code, with comments and an input',
    path: '.vscode/mcp.json',
    files: {
      '.vscode/mcp.json': `{
        // as VS Code writes it
        "inputs": [{ "type": "promptString", "id": "unused", "description": "A key" }],
        "servers": { "held": ${JSON.stringify({ type: 'stdio', ...held })}, },
      }`,
    },
  },
  {
    name: 'a bare map of servers',
    path: 'servers.json',
    files: { 'servers.json': yaml({ held }) },
  },
  {
    name: 'nanobot, one file',
    path: 'nanobot.yaml',
    files: {
      'nanobot.yaml': yaml({
        mcpServers: { held },
        publish: { tools: ['held'] },
        agents: { helper: { model: 'gpt-5', tools: ['held'], toolExtensions: {} } },
      }),
    },
  },
  {
    name: 'nanobot, a folder',
    path: 'bot',
    files: {
      'bot/nanobot.yaml': yaml({ mcpServers: { held } }),
      'bot/agents/helper.md': '---\nmodel: gpt-5\n---\nYou help.\n',
    },
  },
  {
    name: 'two files, one laid over the other',
    path: 'base.yaml',
    files: {
      'base.yaml': yaml({
        extends: './common.yaml',
        mcpServers: { held: { env: { VERSION: 'v1' } } },
      }),
      'common.yaml': yaml({ mcpServers: { held: { ...held, env: { VERSION: 'v0' } } } }),
    },
  },
]

async function put(folder: string, files: Shape['files']): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

test.each(shapes)('$name loads and serves', async ({ files, path }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mobius-'))
  await put(folder.path, files)
  await using mobius = await startServing([join(folder.path, path)])
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const answer = await client.callTool({ name: 'held__say', arguments: {} })
  expect(answer).toMatchObject({ content: [{ text: expect.stringMatching(/^v1 /) }] })
})

test('Cursor’s bare url is a server over HTTP', async () => {
  await using upstream = await startServing([], {
    files: { 'mobius.yaml': yaml({ mcpServers: { held } }) },
  })
  const files = {
    'mcp.json': yaml({ mcpServers: { far: { url: `${upstream.origin}/mcp/s/held` } } }),
  }
  await using mobius = await startServing(['mcp.json'], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const answer = await client.callTool({ name: 'far__say', arguments: {} })
  expect(answer).toMatchObject({ content: [{ text: expect.stringMatching(/^v1 /) }] })
})

test('what is not yet honoured is said by name', async () => {
  const [, , , , , nanobot] = shapes
  const { stdout } = await runMobius(['config', 'check', 'nanobot.yaml'], {
    files: { ...nanobot?.files },
  })
  expect(stdout).toMatch(/agents\.helper\.toolExtensions.*not yet honoured/)
})
