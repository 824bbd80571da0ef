import { defineServer, type JsonObject, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, describeTool, serveUpstream, text } from './support/upstream.ts'

const changed = 'notifications/tools/list_changed'

function growing() {
  const tools = [describeTool('first')]
  const server = serveUpstream(
    answerTools({ first: () => text('first') }, { 'tools/list': () => ({ tools: [...tools] }) }),
  )
  return { tools, server, announce: () => server.say({ method: changed }) }
}

describe('when a server says that its list has changed', () => {
  test('it is read again, once for a burst, and the client is told once', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    const reads = server.received('tools/list').length
    tools.push(describeTool('second'))
    for (let count = 0; count < 20; count++) await announce()
    await gateway.clock.advance(1000)
    expect(client.received(changed)).toEqual([{}])
    expect(server.received('tools/list')).toHaveLength(reads + 1)
    expect(await client.names()).toEqual(['one__first', 'one__second'])
    expect(server.received('tools/list')).toHaveLength(reads + 1)
  })

  test('a client is not told of what reads the same', async () => {
    const { server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    await announce()
    await gateway.clock.advance(1000)
    expect(client.received(changed)).toEqual([])
  })

  test('a client is not told of what its view hides', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({
      upstreams: { one: server },
      view: { refs: ['one/first'] },
    })
    const client = await gateway.client()
    await client.names()
    tools.push(describeTool('second'))
    await announce()
    await gateway.clock.advance(1000)
    expect(client.received(changed)).toEqual([])
  })

  test('a client that has never listed is not told', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.call('one__first')
    tools.push(describeTool('second'))
    await announce()
    await gateway.clock.advance(1000)
    expect(client.received(changed)).toEqual([])
  })

  test('only the client is told whose connection said it', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: server } })
    const first = await gateway.client()
    const second = await gateway.client()
    for (const client of [first, second]) {
      await client.names()
      await client.call('one__first')
    }
    await gateway.clock.advance(1000)
    tools.push(describeTool('second'))
    await announce()
    await gateway.clock.advance(1000)
    expect([first.received(changed).length, second.received(changed).length]).toEqual([0, 1])
  })

  test('everyone is told who shares the connection', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'process' }] } })
    const clients = await Promise.all([gateway.client(), gateway.client()])
    for (const client of clients) {
      await client.names()
      await client.call('one__first')
    }
    tools.push(describeTool('second'))
    await announce()
    await gateway.clock.advance(1000)
    expect(clients.map((client) => client.received(changed).length)).toEqual([1, 1])
  })

  test('a call at that very moment finds the new tool', async () => {
    const { tools, server, announce } = growing()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    tools[0] = describeTool('renamed')
    await announce()
    expect(await client.text('one__first')).toBe('-32602 Unknown tool: one__first')
    expect(await client.names()).toEqual(['one__renamed'])
  })

  test('while it is being read, the old answer is not kept', async () => {
    const gates = [createGate<JsonObject>(), createGate<JsonObject>()]
    let reads = 0
    const server = serveUpstream(
      answerTools(
        { first: () => text('') },
        {
          'tools/list': () => {
            reads += 1
            return gates[reads - 1]?.wait() ?? { tools: [describeTool('new')] }
          },
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const names = client.names()
    await settle()
    await server.say({ method: changed })
    gates[0]?.open({ tools: [describeTool('old')] })
    expect(await names).toEqual(['one__old'])
    gates[1]?.open({ tools: [describeTool('new')] })
    await gateway.clock.advance(1000)
    expect(client.received(changed)).toEqual([{}])
    expect(await client.names()).toEqual(['one__new'])
  })

  test('resources and templates are told with one notification', async () => {
    const templates = [{ uriTemplate: 'x://{a}', name: 'a' }]
    const resources = [{ uri: 'x://1', name: 'one' }]
    const server = serveUpstream(
      answerTools(
        {},
        {
          'resources/list': () => ({ resources: [...resources] }),
          'resources/templates/list': () => ({ resourceTemplates: [...templates] }),
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names('resources')
    await client.names('resourceTemplates')
    resources.push({ uri: 'x://2', name: 'two' })
    templates.push({ uriTemplate: 'y://{a}', name: 'b' })
    await server.say({ method: 'notifications/resources/list_changed' })
    await gateway.clock.advance(1000)
    expect(client.received('notifications/resources/list_changed')).toHaveLength(1)
    expect(await client.names('resourceTemplates')).toEqual(['x://{a}', 'y://{a}'])
  })
})

test('a built-in server’s change is told, too', async () => {
  let change: ((list: 'tools') => void) | undefined
  let names = ['a']
  const inside = defineServer({
    name: 'inside',
    version: '1',
    tools: () =>
      Object.fromEntries(names.map((name) => [name, tool({ description: name, run: () => name })])),
    watch(changed) {
      change = changed
      return () => {}
    },
  })
  await using gateway = createGateway({ builtIns: [inside] })
  const client = await gateway.client()
  expect(await client.names()).toEqual(['inside__a'])
  names = ['b']
  change?.('tools')
  await gateway.clock.advance(1000)
  expect(client.received(changed)).toHaveLength(1)
  expect(await client.names()).toEqual(['inside__b'])
})
