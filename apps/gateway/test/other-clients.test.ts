import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { runMobius, startMobius } from './support/mobius.ts'

const cursorFile = `{
  // Cursor's own
  "mcpServers": {
    "docs": { "url": "https://docs.example/mcp", "headers": { "Authorization": "Bearer \${env:DOCS}" } },
    "files": { "command": "npx", "args": ["-y", "@example/files"], "envFile": "\${workspaceFolder}/.env" },
    "notes": { "command": "other" }
  }
}`

/** Runs a command in a folder that holds the files, with the folder as home. */
async function run(args: string[], files: Record<string, string>) {
  await using place = await startMobius(['--version'])
  await place.ended()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(place.folder, name)), { recursive: true })
    await writeFile(join(place.folder, name), text)
  }
  const { code, stdout, stderr } = await runMobius(args, { cwd: place.folder })
  const text = await readFile(join(place.folder, 'mobius.yaml'), 'utf8').catch(() => undefined)
  const output = `${stdout}${stderr}`.replaceAll(place.folder, '')
  return { code, output, text }
}

test('import copies what another client has, and leaves what is here', async () => {
  const { code, output, text } = await run(['import', 'cursor'], {
    '.cursor/mcp.json': cursorFile,
    'mobius.yaml': '# ours\nmcpServers:\n  notes: { command: notes } # stays\n',
  })
  expect(code).toBe(0)
  expect(output).toMatchInlineSnapshot(`
    "Added docs
    Added files
    Written: /mobius.yaml
    /.cursor/mcp.json:5:68: mcpServers.files.envFile: has no effect here: write env: { NAME: "\${NAME}" }
    /.cursor/mcp.json: notes is not copied: there is one of this name
    Before it can be used:
      /mobius.yaml:7:22: mcpServers.docs.headers.Authorization: the variable DOCS is not set; set it, or write \${DOCS:-default} for a value without it
    "
  `)
  expect(text).toMatchInlineSnapshot(`
    "# ours
    mcpServers:
      notes: { command: notes } # stays
      docs:
        url: https://docs.example/mcp
        headers:
          Authorization: Bearer \${DOCS}
      files:
        command: npx
        args:
          - -y
          - "@example/files"
    "
  `)
})

test('import says what it would write, and writes nothing', async () => {
  const { code, output, text } = await run(['import', '.cursor/mcp.json', '--dry-run'], {
    '.cursor/mcp.json': cursorFile,
  })
  expect([code, text]).toEqual([0, undefined])
  expect(output).toContain('"docs"')
})

test.each([
  ['a client that is not here', ['import', 'windsurf']],
  ['a client that nobody knows', ['import', 'winamp']],
  ['a client that cannot be connected', ['connect', 'winamp']],
])('%s is said', async (_, args) => {
  const { code, output } = await run(args, {})
  expect(code).toBe(2)
  expect(output).toMatchSnapshot()
})

test('what connect prints is what a client starts', async () => {
  const { stdout, stderr } = await runMobius(['connect', 'claude-desktop'])
  expect(stderr).toContain('--write puts it there')
  const { mcpServers } = JSON.parse(stdout)
  const { command, args } = mcpServers.mobius
  await using place = await startMobius(['--version'])
  await place.ended()
  const client = new Client({ name: 'desk', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      env: { PATH: process.env.PATH ?? '', HOME: place.folder },
      cwd: place.folder,
    }),
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['meta__list_servers', 'chat-with-assistant'])
  await client.close()
})

test('connect writes into the client’s file, and the rest of it stays', async () => {
  await using place = await startMobius(['--version'])
  await place.ended()
  const file = join(place.folder, '.cursor', 'mcp.json')
  await mkdir(dirname(file))
  await writeFile(file, cursorFile)
  const { code } = await runMobius(
    ['connect', 'cursor', '--write', '--url', 'http://127.0.0.1:8420/mcp'],
    { cwd: place.folder },
  )
  expect(code).toBe(0)
  const text = await readFile(file, 'utf8')
  expect(text).toContain("// Cursor's own")
  expect(text).toContain('"mobius"')
  expect(text).toContain('http://127.0.0.1:8420/mcp')
})
