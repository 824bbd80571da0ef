import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { runMobius, startServing } from './support/mobius.ts'

test('without a configuration it serves the built-in servers and says what to do next', async () => {
  await using mobius = await startServing()
  await mobius.said(/operator\?token=\S+\n/)
  const text = mobius.output.stderr.replaceAll(mobius.origin, 'http://HERE')
  expect(text.replace(/token=.*/, 'token=TOKEN')).toMatchInlineSnapshot(`
    "Mobius serves MCP at http://HERE/mcp
    No configuration found: only the built-in servers are here. Add yours to mobius.yaml:
      mcpServers:
        everything: { command: npx, args: [-y, "@modelcontextprotocol/server-everything"] }
    It is used as soon as it is there. Point an MCP client at http://HERE/mcp
    To make a browser the operator's, once: http://HERE/operator?token=TOKEN
    "
  `)
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['meta__list_servers', 'chat-with-assistant'])
  expect(mobius.output.stdout).toBe('')
})

test('it is alive and ready at once', async () => {
  await using mobius = await startServing()
  expect((await fetch(`${mobius.origin}/healthz`)).status).toBe(200)
  expect((await fetch(`${mobius.origin}/readyz`)).status).toBe(200)
})

test('a port that is taken ends it at once, naming the way out', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const { code, stderr } = await runMobius(['serve', '--listen', `127.0.0.1:${port}`])
  taken.close()
  expect(code).toBe(2)
  expect(stderr.replaceAll(String(port), 'PORT')).toMatchInlineSnapshot(`
    "Cannot listen on 127.0.0.1:PORT: the port is in use by another process; choose another one with --listen
    "
  `)
})

test('an address that others can reach needs a login', async () => {
  const { code, stderr } = await runMobius(['serve', '--listen', '0.0.0.0:0'])
  expect(code).toBe(2)
  expect(stderr).toMatchInlineSnapshot(`
    "Not started: 0.0.0.0 can be reached from elsewhere, and nobody has to log in. Set http.keys in the configuration, listen on 127.0.0.1, or say --insecure if you mean it.
    "
  `)
})

test('an address that others can reach starts with --insecure', async () => {
  await using mobius = await startServing(['--insecure', '--listen', '0.0.0.0:0'])
  await mobius.said(/serves MCP at/)
})

test('with keys, only who shows one comes in', async () => {
  const files = { 'mobius.yaml': 'http: { keys: [{ name: ci, key: 0123456789abcdef0123 }] }' }
  await using mobius = await startServing([], { files })
  const url = `${mobius.origin}/mcp`
  await expect(connectClient(url)).rejects.toThrow()
  await using client = await connectClient(url, { authorization: 'Bearer 0123456789abcdef0123' })
  expect((await client.listTools()).tools).toHaveLength(2)
  const refused = await fetch(url, { method: 'POST', body: '{}' })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
  await refused.body?.cancel()
})

test('a mistake in the configuration is shown with its place', async () => {
  const files = { 'mobius.yaml': 'mcpServers:\n  files: { comand: ls }\n' }
  const { code, stderr, folder } = await runMobius(['serve'], { files })
  expect(code).toBe(2)
  expect(stderr.replaceAll(folder, '')).toMatchInlineSnapshot(`
    "Could not use the configuration /mobius.yaml:
      /mobius.yaml:2:12: mcpServers.files.comand: unknown key; did you mean command?
    "
  `)
})

test('a configuration that is named and not there is a mistake', async () => {
  const { code, stderr, folder } = await runMobius(['serve', 'nowhere.yaml'])
  expect(code).toBe(2)
  expect(stderr.replaceAll(folder, '')).toMatchInlineSnapshot(`
    "There is no configuration at /nowhere.yaml: no such file
    "
  `)
})

test('MOBIUS_LISTEN and MOBIUS_CONFIG are heard', async () => {
  const files = { 'other.yaml': 'http: { listen: 127.0.0.1:1 }\npublish: [meta]' }
  const env = { MOBIUS_LISTEN: '127.0.0.1:0', MOBIUS_CONFIG: 'other.yaml' }
  await using mobius = await startServing([], { files, env })
  await mobius.said(/other\.yaml: 0 servers/)
})

test('where logs are to be JSON, every line is', async () => {
  const files = { 'mobius.yaml': 'log: { format: json }' }
  await using mobius = await startServing([], { files })
  const lines = mobius.output.stderr.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'info',
      message: `Mobius serves MCP at ${mobius.origin}/mcp`,
    }),
  ])
})
