import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test } from 'vitest'
import {
  createWirePair,
  type MessageContext,
  MessageSession,
  openInProcess,
  openSession,
  type Wire,
} from '../src/index.ts'
import { openConversation, openScripted, silent } from './support/conversation.ts'
import { settle } from './support/test-clock.ts'

describe('closing a session', () => {
  test('fails what waits, at once, naming it and the reason', async () => {
    await using peer = await openScripted()
    const first = peer.session.request('tools/call', {}, { label: 'github/search' })
    const second = peer.session.request('prompts/list', {})
    const closing = peer.session.close('the configuration changed')
    await expect(first).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'github/search: connection closed: the configuration changed',
    })
    await expect(second).rejects.toThrow(
      'prompts/list: connection closed: the configuration changed',
    )
    await closing
    expect(peer.sent.filter((message) => !('id' in message))).toEqual([])
  })

  test('aborts what is being answered, and nothing is answered any more', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    const contexts: MessageContext[] = []
    await using peer = await openScripted({
      onMessage(_, context) {
        contexts.push(context)
        return promise
      },
    })
    await peer.say({ id: 1, method: 'a' })
    await peer.session.close('enough')
    resolve({})
    await settle()
    expect(peer.sent).toEqual([])
    expect(contexts[0]?.cancellation.reason).toBe('enough')
  })

  test('may be done again, and ends the other end too', async () => {
    await using talk = await openConversation(silent)
    const reasons: unknown[] = []
    talk.server.ending.listen({ onCancel: (reason) => reasons.push(reason) })
    await Promise.all([talk.client.close('first'), talk.client.close('second')])
    await talk.client.close('third')
    expect(talk.client.ending.reason).toBe('first')
    expect(talk.client.closed.aborted).toBe(true)
    expect(reasons).toEqual(['the other end closed the connection'])
  })

  test('closes its wire once, even one that says so each time', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const session = await openSession(near, silent)
    const other = await openSession(far, silent)
    await session.close()
    await session.close()
    expect(other.closed.aborted).toBe(true)
  })

  test('refuses what is asked later, and says nothing of what is told', async () => {
    await using peer = await openScripted()
    await peer.session.close('enough')
    await expect(peer.session.request('a', {})).rejects.toThrow('a: connection closed: enough')
    peer.session.notify('b')
    expect(peer.sent).toEqual([])
  })

  test('is not stopped by a listener that throws', async () => {
    const errors: Error[] = []
    await using peer = await openScripted(silent, { onError: (error) => errors.push(error) })
    const answer = peer.session.request('a', {})
    peer.session.ending.listen({
      onCancel() {
        throw new Error('I hold on')
      },
    })
    const closing = peer.session.close('enough')
    await expect(answer).rejects.toThrow('a: connection closed: enough')
    await closing
    expect(errors.map(({ message }) => message)).toEqual(['I hold on'])
  })

  test('ends the sessions that hang off it, and they let go of it when they end first', async () => {
    const root = new MessageSession({ send: () => {} }, silent, { id: 'root', kind: 'client' })
    const [near] = createWirePair()
    const child = await openSession(near, silent, { parent: root })
    const local = openInProcess(silent, { parent: root })
    const early = openInProcess(silent, { parent: local })
    expect(early.root.id).toBe('root')
    await early.close('done')
    await root.close('the client went away')
    expect([child, local, early].map(({ ending }) => ending.reason)).toEqual([
      'the client went away',
      'the client went away',
      'done',
    ])
    await expect(openSession(createWirePair()[0], silent, { parent: root })).rejects.toThrow(
      'The session that this one belongs to has ended',
    )
  })

  test('drops what arrives later, and lets its exchange go', async () => {
    const handled: string[] = []
    const session = new MessageSession(
      { send: () => {} },
      { onMessage: ({ method }) => handled.push(method) },
    )
    await session.close()
    let abandoned = 0
    const outlet = { send: () => {}, abandon: () => (abandoned += 1) }
    session.receive({ jsonrpc: '2.0', id: 1, method: 'a' }, { outlet })
    expect(handled).toEqual([])
    expect(abandoned).toBe(1)
  })
})

describe('a wire', () => {
  test('that ends fails what waits, saying why where it knows', async () => {
    await using peer = await openScripted()
    const [near, far] = createWirePair() as [Wire & { closeReason?: string }, Wire]
    near.closeReason = '"server" exited with code 1'
    const informed = await openSession(near, silent)
    const answers = [peer.session.request('a', {}), informed.request('b', {})]
    await peer.wire.close()
    await far.close()
    await expect(answers[0]).rejects.toThrow(
      'a: connection closed: the other end closed the connection',
    )
    await expect(answers[1]).rejects.toThrow('b: connection closed: "server" exited with code 1')
  })

  test('that does not start is the error of opening the session', async () => {
    const [near] = createWirePair()
    near.start = () => Promise.reject(new Error('There is no such command'))
    near.close = () => Promise.reject(new Error('It never ran'))
    await expect(openSession(near, silent)).rejects.toThrow('There is no such command')
  })

  test('that fails to close fails nobody who does not wait for it', async () => {
    const errors: string[] = []
    const [near] = createWirePair()
    await openSession(near, silent, { onError: ({ message }) => errors.push(message) })
    near.close = () => Promise.reject(new Error('It is stuck'))
    near.onclose?.()
    await settle()
    expect(errors).toEqual(['It is stuck'])
  })

  test('in memory keeps what comes before it is started, and refuses what comes after its end', async () => {
    const [near, far] = createWirePair()
    await near.start()
    await near.send({ jsonrpc: '2.0', method: 'early' })
    const heard: string[] = []
    far.onmessage = (message) => void heard.push('method' in message ? message.method : '')
    await far.start()
    await near.send({ jsonrpc: '2.0', method: 'late' })
    await far.close()
    await expect(near.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow(
      'The wire is closed; the message was not sent',
    )
    expect(heard).toEqual(['early', 'late'])
  })
})
