import { drainList, type Session } from '@mobius-mcp/protocol'
import { expect, test, vi } from 'vitest'
import { describeTransports } from '../../src/index.ts'

const wide = new URL('./servers/wide-server.ts', import.meta.url)
const patience = { timeout: 4000 }

/** What has happened inside the server. */
async function eventsOf(session: Session): Promise<string> {
  const { contents } = await session.request('resources/read', { uri: 'test://live' })
  return (contents as [{ text: string }])[0].text
}

describeTransports('a call', (connect) => {
  test('that is cancelled ends in the server too, and the session goes on', async () => {
    await using connection = await connect(wide)
    const { session } = connection
    const controller = new AbortController()
    const answer = session.request('tools/call', { name: 'wait' }, { signal: controller.signal })
    const rejected = expect(answer).rejects.toThrow('tools/call was cancelled: bored')
    await vi.waitFor(async () => expect(await eventsOf(session)).toBe('waiting'), patience)
    controller.abort(new Error('bored'))
    await rejected
    await vi.waitFor(async () => expect(await eventsOf(session)).toBe('waiting,aborted'), patience)
  })

  test('fails at once when its session is closed', async () => {
    const connection = await connect(wide)
    const answer = connection.session.request('tools/call', { name: 'wait' })
    const rejected = expect(answer).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'tools/call: connection closed: enough',
    })
    await connection.session.close('enough')
    await rejected
    await connection[Symbol.asyncDispose]()
    expect(connection.session.closed.aborted).toBe(true)
  })

  test('whose question is open is given up together with the question', async () => {
    const asked = Promise.withResolvers<void>()
    const withdrawn = Promise.withResolvers<void>()
    await using connection = await connect(wide, {
      capabilities: { elicitation: {} },
      client: {
        onMessage(message, { cancellation }) {
          if (!('id' in message)) return undefined
          cancellation.listen({ onCancel: () => withdrawn.resolve() })
          asked.resolve()
          return new Promise(() => {})
        },
      },
    })
    const controller = new AbortController()
    const params = { name: 'ask', arguments: { text: 'x' } }
    const { signal } = controller
    const answer = connection.session.request('tools/call', params, { signal })
    const rejected = expect(answer).rejects.toThrow('was cancelled')
    await asked.promise
    controller.abort(new Error('bored'))
    await rejected
    await withdrawn.promise
  })
})

describeTransports('a change', (connect) => {
  test('of a list is told, and the list is another', async () => {
    const heard: string[] = []
    await using connection = await connect(wide, {
      client: { onMessage: ({ method }) => void heard.push(method) },
    })
    const { session } = connection
    await session.request('tools/call', { name: 'change' })
    await vi.waitFor(() => expect(heard).toEqual(['notifications/tools/list_changed']), patience)
    const names = (await drainList(session, 'tools')).map(({ name }) => name)
    expect(names).toContain('extra')
  })

  test('of a resource is told to whoever subscribed, until they take it back', async () => {
    const heard: unknown[] = []
    await using connection = await connect(wide, {
      client: {
        onMessage: ({ method, params }) => {
          if (method.endsWith('updated')) heard.push(params)
        },
      },
    })
    const { session } = connection
    const uri = 'test://live'
    await session.request('resources/subscribe', { uri })
    await session.request('tools/call', { name: 'change' })
    await vi.waitFor(() => expect(heard).toEqual([{ uri }]), patience)
    await session.request('resources/unsubscribe', { uri })
    await session.request('tools/call', { name: 'change' })
    await session.request('ping', {})
    expect(heard).toEqual([{ uri }])
  })
})
