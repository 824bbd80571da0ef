import {
  drainList,
  initialize,
  type MessageHandler,
  openSession,
  type Session,
  type Wire,
} from '@mobius-mcp/protocol'
import { connect, type ServerOptions } from '@mobius-mcp/transports'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, test } from 'vitest'
import { openHttpProbe, probeCommand } from '../../src/fidelity/probe-process.ts'
import { createFixture } from '../../src/probe/fixture.ts'

// The same server, reached in each way: nobody above the wire can tell.

interface Probe extends AsyncDisposable {
  readonly options: ServerOptions
}

const probes: Record<string, () => Promise<Probe>> = {
  async stdio() {
    const { command, args, env } = probeCommand({})
    return { options: { type: 'stdio', command, args, env }, async [Symbol.asyncDispose]() {} }
  },
  async http() {
    const probe = await openHttpProbe({ PROBE_RESUMABLE: '1' })
    const options = { type: 'http', url: probe.url } as const
    return { options, [Symbol.asyncDispose]: () => probe[Symbol.asyncDispose]() }
  },
}

const info = { name: 'test', version: '1' }

async function open(
  wire: Wire,
  handler: MessageHandler = { onMessage: () => ({}) },
): Promise<Session> {
  const session = await openSession(wire, handler)
  await initialize(session, { info, capabilities: { elicitation: {}, sampling: {}, roots: {} } })
  return session
}

describe.each(Object.keys(probes))('a server reached over %s', (way) => {
  const openProbe = probes[way] as () => Promise<Probe>

  test('says all that it has to say', async () => {
    await using probe = await openProbe()
    const session = await open(await connect(probe.options))
    const { serverInfo, capabilities, instructions, tools } = createFixture('probe')
    expect(session.peer).toMatchObject({ info: serverInfo, capabilities, instructions })
    expect(await drainList(session, 'tools')).toEqual(tools)
    await session.close()
  })

  test('reports progress, and what it asks is answered on the call that it asks for', async () => {
    await using probe = await openProbe()
    const related: unknown[] = []
    const session = await open(await connect(probe.options), {
      onMessage(message, context) {
        if (message.method === 'roots/list') related.push(context.relatedTo)
        return { roots: [] }
      },
    })
    const steps: number[] = []
    const params = { name: 'progress', arguments: { steps: 3 } }
    await session.request('tools/call', params, {
      onProgress: ({ progress }) => void steps.push(progress),
    })
    expect(steps.length).toBe(3)
    await session.request('tools/call', { name: 'ask', arguments: { method: 'roots/list' } })
    expect(related).toEqual([way === 'http' ? expect.anything() : undefined])
    await session.close()
  })

  test('forgets a call that is cancelled, and goes on', async () => {
    await using probe = await openProbe()
    const session = await open(await connect(probe.options))
    const signal = AbortSignal.timeout(100)
    const pending = session.request('tools/call', { name: 'wait' }, { signal })
    await expect(pending).rejects.toMatchObject({ code: 'REQUEST_CANCELLED' })
    const { content } = await session.request('tools/call', {
      name: 'large',
      arguments: { size: 9 },
    })
    expect(content).toHaveLength(1)
    await session.close()
  })

  test('serves the official clients, version 1 and 2, over the same wire', async () => {
    await using probe = await openProbe()
    for (const client of [new Client(info), new ClientV2(info)]) {
      await client.connect(await connect(probe.options))
      const { content } = await client.callTool({ name: 'large', arguments: { size: 9 } })
      expect(content).toHaveLength(1)
      await client.close()
    }
  })
})

test('a server that restarts under the same address lets a request be sent again', async () => {
  await using probe = await openHttpProbe({})
  const options = { type: 'http', url: probe.url } as const
  const session = await open(await connect(options))
  await probe.restart()
  await expect(session.request('tools/list', {})).rejects.toMatchObject({ code: 'SESSION_LOST' })
  const again = await open(await connect(options))
  expect(await drainList(again, 'tools')).toHaveLength(13)
  await again.close()
})

test('a call in flight fails within a second when its HTTP server is killed', async () => {
  await using probe = await openHttpProbe({})
  const session = await open(await connect({ type: 'http', url: probe.url }))
  const pending = session.request('tools/call', { name: 'wait' }).catch((error: Error) => error)
  await session.request('tools/list', {})
  const begin = performance.now()
  await probe[Symbol.asyncDispose]()
  expect(String(await pending)).toContain('the stream broke')
  expect(performance.now() - begin).toBeLessThan(1000)
  await session.close()
})
