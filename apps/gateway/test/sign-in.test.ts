import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAuthorizationServer } from '@mobius-mcp/testing/sign-in/authorization-server.ts'
import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { openNotesServer } from '@mobius-mcp/testing/sign-in/notes-server.ts'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { type Mobius, runMobius, startMobius, startServing } from './support/mobius.ts'

/** A gateway before a server that asks for a sign-in. */
async function openStage() {
  const stack = new AsyncDisposableStack()
  const authority = stack.use(await openAuthorizationServer())
  const notes = stack.use(await openNotesServer(authority))
  const files = { 'mobius.yaml': JSON.stringify({ mcpServers: { notes: { url: notes.url } } }) }
  const mobius = stack.use(await startServing(['--verbose'], { files }))
  const everything: string[] = []
  return {
    authority,
    notes,
    mobius,
    everything,
    /** Signs in as a person does: with the command, and a browser. */
    async login(): Promise<void> {
      await using command = await startMobius(['login', 'notes', '--no-browser'], at(mobius))
      const [, url = ''] = await command.said(/^ {2}(http\S+)$/m)
      expect((await visit(url)).status).toBe(200)
      expect(await command.ended()).toBe(0)
      expect(command.output.stderr).toContain('Signed in to notes.')
      everything.push(command.output.stderr, command.output.stdout)
    },
    async run(args: string[]) {
      const done = await runMobius(args, at(mobius))
      everything.push(done.stdout, done.stderr)
      return done
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function at({ folder }: Mobius) {
  return { cwd: folder, env: { MOBIUS_STATE: join(folder, 'state') } }
}

test('a server that asks for a sign-in says so at once, is signed in to, used, and signed out of', async () => {
  await using stage = await openStage()
  const { mobius, authority } = stage
  await using client = await connectClient(`${mobius.origin}/mcp`)

  const before = await stage.run(['servers'])
  expect(before.stdout).toMatch(/notes +external +idle/)
  const refused = await stage.run(['call', 'notes/read'])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /Server "notes" needs a sign-in: .*\nSign in: mobius login notes\n/,
  )
  const needed = await stage.run(['servers'])
  expect(needed.stdout).toMatch(/notes +external +auth-needed/)

  await stage.login()
  const answer = await client.callTool({ name: 'notes__read', arguments: {} })
  expect(answer.isError ?? false).toBe(false)
  expect((await stage.run(['call', 'notes/read'])).stdout).toBe('read done\n')
  expect((await stage.run(['servers'])).stdout).toMatch(/notes +external +ready/)

  // Fifty at once when the authorization server has ended the sign-in: a fast answer for each.
  authority.revokeAll()
  const out = await stage.run(['logout', 'notes'])
  expect(out.stderr).toMatch(/Signed out of notes/)
  await using later = await connectClient(`${mobius.origin}/mcp`)
  const calls = Array.from({ length: 50 }, () =>
    later.callTool({ name: 'notes__read', arguments: {} }).then(
      () => 'answered',
      (error: Error) => error.message,
    ),
  )
  for (const text of await Promise.all(calls)) expect(text).toContain('needs a sign-in')
})

test('a client that can open a URL is asked to, and its call goes on from there', async () => {
  await using stage = await openStage()
  const client = new Client(
    { name: 'browser', version: '1' },
    { capabilities: { elicitation: { url: {} } } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${stage.mobius.origin}/mcp`)) as Transport,
  )
  const attempt = await client.callTool({ name: 'notes__read', arguments: {} }).then(
    () => undefined,
    (error: { code: number; data?: { elicitations?: { url: string }[] } }) => error,
  )
  expect(attempt?.code).toBe(-32042)
  const url = attempt?.data?.elicitations?.[0]?.url ?? ''
  expect((await visit(url)).status).toBe(200)
  const answer = await client.callTool({ name: 'notes__read', arguments: {} })
  expect(answer.isError ?? false).toBe(false)
  await client.close()
})

test('a connection that everybody shares is signed in by the operator alone', async () => {
  await using authority = await openAuthorizationServer()
  await using notes = await openNotesServer(authority)
  const key = (name: string) => `${name}-0123456789abcdef0123`
  const as = (name: string) => ({ authorization: `Bearer ${key(name)}` })
  const files = {
    'mobius.yaml': JSON.stringify({
      mcpServers: { notes: { url: notes.url, sharing: 'process' } },
      http: { keys: ['ci', 'ops'].map((name) => ({ name, key: key(name) })) },
    }),
  }
  await using mobius = await startServing([], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`, as('ci'))
  const attempt = client.callTool({ name: 'notes__read', arguments: {} })
  const text = await attempt.then(String, (error: Error) => error.message)
  expect(text).toContain(
    'needs a sign-in: nobody has signed in, and everybody shares one connection to it, so an operator has to sign in',
  )
  expect(text).not.toContain(authority.issuer)

  await using command = await startMobius(['login', 'notes', '--no-browser'], at(mobius))
  const [, url = ''] = await command.said(/^ {2}(http\S+)$/m)
  await visit(url)
  expect(await command.ended()).toBe(0)
  for (const name of ['ci', 'ops']) {
    await using other = await connectClient(`${mobius.origin}/mcp`, as(name))
    await expect
      .poll(async () => {
        const answer = await other.callTool({ name: 'notes__read', arguments: {} }).catch(String)
        return JSON.stringify(answer)
      })
      .toContain('read done')
  }
})

test('one caller’s sign-in is not another’s', async () => {
  await using stage = await openStage()
  await stage.login()
  const key = 'ci-0123456789abcdef0123'
  const file = join(stage.mobius.folder, 'keyed.yaml')
  const http = { keys: [{ name: 'ci', key }] }
  await writeFile(file, JSON.stringify({ mcpServers: { notes: { url: stage.notes.url } }, http }))
  const place = at(stage.mobius)
  await using keyed = await startServing([file], place)
  await using client = await connectClient(`${keyed.origin}/mcp`, {
    authorization: `Bearer ${key}`,
  })
  await expect(client.callTool({ name: 'notes__read', arguments: {} })).rejects.toThrow(
    'needs a sign-in',
  )
})

test('nothing secret stands in any log, list, record or answer', async () => {
  await using stage = await openStage()
  const { mobius, authority } = stage
  await stage.login()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const { everything } = stage
  everything.push(JSON.stringify(await client.callTool({ name: 'notes__read', arguments: {} })))
  everything.push(JSON.stringify(await client.listTools()))
  for (const args of [['servers', '--json'], ['logs', '--json'], ['config', 'print'], ['tools']]) {
    await stage.run(args)
  }
  everything.push(await (await fetch(`${mobius.origin}/metrics`)).text())
  authority.revokeAll()
  await stage.run(['call', 'notes/read'])
  await stage.run(['logout', 'notes'])
  everything.push(mobius.output.stderr, mobius.output.stdout)
  const text = everything.join('\n')
  expect(text.length).toBeGreaterThan(5000)
  expect(authority.secrets.size).toBeGreaterThan(3)
  for (const secret of authority.secrets) expect(text).not.toContain(secret)
})

test.each([
  ['a server that is not there', ['login', 'nots']],
  ['a program on this machine', ['login', 'local']],
])('login to %s is a mistake', async (_, args) => {
  const files = { 'mobius.yaml': 'mcpServers: { local: { command: cat } }' }
  const { code, stderr } = await runMobius(args, { files })
  expect(code).toBe(2)
  expect(stderr).toMatchSnapshot()
})
