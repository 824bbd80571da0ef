import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { startServing } from './support/mobius.ts'

const script = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))
const held = { command: process.execPath, args: [script] }
const key = (name: string) => `${name}-0123456789abcdef0123`

/** Two servers, a group, and keys that see different things. */
const files = {
  'mobius.yaml': JSON.stringify({
    mcpServers: { one: held, two: held },
    groups: { small: ['two/say', 'meta'] },
    http: {
      keys: [
        { name: 'all', key: key('all') },
        { name: 'narrow', key: key('narrow'), publish: ['one/say'] },
        { name: 'boss', key: key('boss'), scopes: ['operator'] },
      ],
    },
  }),
}

const as = (name: string) => ({ authorization: `Bearer ${key(name)}` })

async function toolsOf(url: string, name: string): Promise<string[]> {
  await using client = await connectClient(url, as(name))
  const { tools } = await client.listTools()
  return tools.map((tool) => tool.name)
}

test('a key sees what the configuration gives it, at every door', async () => {
  await using mobius = await startServing([], { files })
  const all = await toolsOf(`${mobius.origin}/mcp`, 'all')
  expect(all).toContain('one__say')
  expect(all).toContain('two__hold')
  expect(await toolsOf(`${mobius.origin}/mcp`, 'narrow')).toEqual(['one__say'])
  expect(await toolsOf(`${mobius.origin}/mcp/s/one`, 'narrow')).toEqual(['say'])
  await expect(toolsOf(`${mobius.origin}/mcp/s/two`, 'narrow')).rejects.toThrow(
    'Unknown server: two',
  )
  // A group shows nothing that the key does not.
  expect(await toolsOf(`${mobius.origin}/mcp/g/small`, 'narrow')).toEqual([])
})

test('hidden means not callable', async () => {
  await using mobius = await startServing([], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`, as('narrow'))
  await expect(client.callTool({ name: 'two__say', arguments: {} })).rejects.toThrow(
    'Unknown tool: two__say',
  )
  await using single = await connectClient(`${mobius.origin}/mcp/s/one`, as('narrow'))
  await expect(single.callTool({ name: 'hold', arguments: {} })).rejects.toThrow(
    'Unknown tool: hold',
  )
})

test('a group is a door of its own, and one that is not there is 404', async () => {
  await using mobius = await startServing([], { files })
  const tools = await toolsOf(`${mobius.origin}/mcp/g/small`, 'all')
  expect(tools).toEqual(expect.arrayContaining(['meta__list_servers', 'two__say']))
  expect(tools.join()).not.toContain('one__')
  await expect(toolsOf(`${mobius.origin}/mcp/g/none`, 'all')).rejects.toThrow(
    'Nothing is served at',
  )
})

test('only operators see what only operators may do', async () => {
  await using mobius = await startServing([], { files })
  const operators = ['reload_configuration', 'add_server', 'remove_server']
  for (const path of ['/mcp', '/mcp/s/meta', '/mcp/g/small']) {
    const names = (await toolsOf(`${mobius.origin}${path}`, 'all')).join()
    for (const name of operators) expect(names).not.toContain(name)
  }
  const seen = await toolsOf(`${mobius.origin}/mcp/s/meta`, 'boss')
  expect(seen).toEqual(expect.arrayContaining(operators))
})

test('what is for those who chat is on no list of tools unless it is asked for', async () => {
  await using mobius = await startServing([], { files })
  const tools = ['list_agents', 'list_chats', 'delete_chat', 'answer_question']
  const everything = (await toolsOf(`${mobius.origin}/mcp`, 'all')).join()
  for (const name of tools) expect(everything).not.toContain(name)
  const own = await toolsOf(`${mobius.origin}/mcp/s/meta`, 'all')
  expect(own).toEqual(expect.arrayContaining(tools))
})

test('figures for Prometheus need a key where calls do', async () => {
  await using mobius = await startServing([], { files })
  const refused = await fetch(`${mobius.origin}/metrics`)
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  await refused.body?.cancel()
  await using client = await connectClient(`${mobius.origin}/mcp`, as('all'))
  await client.callTool({ name: 'one__say', arguments: {} })
  const answer = await fetch(`${mobius.origin}/metrics`, { headers: as('all') })
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  const text = await answer.text()
  expect(text).toMatch(/^mobius_calls_total\{[^}]*server="one"[^}]*tool="say"[^}]*\} 1$/m)
  expect(text).toMatch(/^mobius_sessions 1$/m)
})

test('without keys everybody on the machine may look', async () => {
  await using mobius = await startServing()
  const answer = await fetch(`${mobius.origin}/metrics`)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('mobius_')
  const foreign = get(`${mobius.origin}/metrics`, { headers: { host: 'evil.example' } })
  const [refused] = (await once(foreign, 'response')) as [IncomingMessage]
  expect(refused.resume().statusCode).toBe(403)
})

test('a key that is taken out of the configuration lets nobody in any more', async () => {
  await using mobius = await startServing([], { files })
  const http = { keys: [{ name: 'boss', key: key('boss') }] }
  await writeFile(join(mobius.folder, 'mobius.yaml'), JSON.stringify({ http }))
  await mobius.said(/Configuration: key all: removed/)
  await expect(toolsOf(`${mobius.origin}/mcp`, 'all')).rejects.toThrow()
  expect(await toolsOf(`${mobius.origin}/mcp`, 'boss')).toContain('meta__list_servers')
})
