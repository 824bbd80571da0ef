import { describe, expect, test } from 'vitest'
import {
  type CallScope,
  deadlinesOf,
  initialize,
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  openInProcess,
  type Progress,
  ProtocolError,
  refusingCaller,
} from '../src/index.ts'
import { silent } from './support/conversation.ts'
import { createTestClock } from './support/test-clock.ts'

describe('a call in process', () => {
  test('hands over the very objects, in both directions', async () => {
    const params = { deep: { list: [1] } }
    const result = { content: [] }
    const seen: unknown[] = []
    const session = openInProcess({
      onMessage(message) {
        seen.push(message.params)
        return result
      },
    })
    expect(await session.request('tools/call', params)).toBe(result)
    expect(seen[0]).toBe(params)
  })

  test('gives the handler whose call it is, by reference', async () => {
    const principal = { id: 'ann', scopes: ['operator'] }
    const call = { id: 'c1', origin: { kind: 'agent' as const, name: 'writer' }, depth: 2 }
    const said: unknown[] = []
    const scope: CallScope = {
      principal,
      call,
      callerFor: () => refusingCaller,
      notify: (method, params) => void said.push([method, params]),
      ask: async (method, params) => ({ asked: method, params }),
    }
    const contexts: MessageContext[] = []
    const session = openInProcess({
      async onMessage(_, context) {
        contexts.push(context)
        context.notify('notifications/message', { level: 'info', data: 'x' })
        return await context.ask('elicitation/create', { message: '?' })
      },
    })
    expect(await session.request('a', {}, { scope })).toEqual({
      asked: 'elicitation/create',
      params: { message: '?' },
    })
    expect(said).toEqual([['notifications/message', { level: 'info', data: 'x' }]])
    expect(contexts[0]?.principal).toBe(principal)
    expect(contexts[0]?.call).toBe(call)
    expect(contexts[0]?.caller).toBe(refusingCaller)
  })

  test('is a call of the session’s own principal where nothing else is said', async () => {
    const contexts: MessageContext[] = []
    const principal = { id: 'bob', scopes: [] }
    const session = openInProcess(
      { onMessage: (_, context) => void contexts.push(context) },
      { principal },
    )
    await session.request('a', {})
    await session.request('a', {})
    const [first, second] = contexts
    expect(first?.principal).toBe(principal)
    expect(first?.call).toEqual({ id: first?.call.id, origin: { kind: 'client' }, depth: 0 })
    expect(first?.call.id).not.toBe(second?.call.id)
    await expect(first?.caller.call({ server: 's', tool: 't' }, {})).rejects.toThrow(
      'This server was given no Caller, so it cannot call other servers.',
    )
  })

  test('rejects with the handler’s ProtocolError, thrown at once or later', async () => {
    const error = new ProtocolError('INVALID_PARAMS', 'Unknown tool: x')
    const session = openInProcess({
      onMessage({ method }) {
        if (method === 'later') return Promise.reject(error)
        throw error
      },
    })
    await expect(session.request('now', {})).rejects.toBe(error)
    await expect(session.request('later', {})).rejects.toBe(error)
  })

  test('tells of other errors what a wire would, and the rest to whoever hosts it', async () => {
    const secret = new Error('password=hunter2')
    const errors: Error[] = []
    const session = openInProcess(
      { onMessage: () => Promise.reject(secret) },
      { onError: (error) => errors.push(error) },
    )
    await expect(session.request('a', {})).rejects.toMatchObject({
      number: -32603,
      message: 'Internal error',
      cause: secret,
    })
    expect(errors).toEqual([secret])
  })

  test('reports progress while it runs, and not after its result', async () => {
    const seen: Progress[] = []
    let late: MessageContext | undefined
    const session = openInProcess({
      onMessage({ method }, context) {
        late = context
        context.progress({ progress: 1 })
        return method === 'now' ? {} : Promise.resolve({})
      },
    })
    for (const method of ['now', 'later']) {
      await session.request(method, {}, { onProgress: (each) => seen.push(each) })
      late?.progress({ progress: 2 })
    }
    expect(seen).toEqual([{ progress: 1 }, { progress: 1 }])
  })

  test('that is cancelled reaches the handler’s signal, and its answer is not waited for', async () => {
    const contexts: MessageContext[] = []
    const session = openInProcess({
      onMessage(_, context) {
        contexts.push(context)
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const answer = session.request('a', {}, { signal: controller.signal })
    controller.abort(new Error('bored'))
    await expect(answer).rejects.toThrow('a was cancelled: bored')
    expect(contexts[0]?.signal.reason).toEqual(new DOMException('bored', 'AbortError'))
    await expect(
      session.request('b', {}, { signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('b was cancelled: gone')
    expect(contexts).toHaveLength(1)
  })

  test('times out, and cancels the handler', async () => {
    const clock = createTestClock(0)
    const contexts: MessageContext[] = []
    const session = openInProcess(
      {
        onMessage(_, context) {
          contexts.push(context)
          return new Promise(() => {})
        },
      },
      { clock, timeouts: { request: 1000 } },
    )
    const answer = session.request('a', {}, { label: 'tasks/run' })
    const expected = expect(answer).rejects.toThrow('tasks/run timed out: no answer within 1 s')
    await clock.advance(1100)
    await expected
    expect(contexts[0]?.cancellation.reason).toBe('no answer within 1 s')
  })
})

describe('closing it', () => {
  test('fails what waits on either end, and aborts the handlers', async () => {
    const clock = createTestClock()
    const contexts: MessageContext[] = []
    const hanging: MessageHandler = {
      onMessage(_, context) {
        contexts.push(context)
        return new Promise(() => {})
      },
    }
    const session = openInProcess(hanging, { client: hanging, clock })
    const answer = session.request('a', {})
    const question = contexts[0]?.session.request('roots/list', {})
    const other = openInProcess(hanging, { clock })
    const untouched = other.request('b', {})
    await contexts[0]?.session.close('enough')
    await expect(answer).rejects.toThrow('a: connection closed: enough')
    await expect(question).rejects.toThrow('roots/list: connection closed: enough')
    await expect(session.request('c', {})).rejects.toThrow('c: connection closed: enough')
    session.notify('d')
    expect(contexts.map(({ cancellation }) => cancellation.reason)).toEqual([
      'enough',
      'enough',
      undefined,
    ])
    expect(deadlinesOf(clock).entries()).toHaveLength(1)
    await Promise.all([session.close(), other.close()])
    await expect(untouched).rejects.toThrow('the session was closed')
  })

  test('fails the call that does it', async () => {
    const session = openInProcess({
      onMessage(_, context) {
        void context.session.close('my own wish')
        return new Promise(() => {})
      },
    })
    await expect(session.request('a', {})).rejects.toThrow('a: connection closed: my own wish')
  })
})

describe('what a server says of its own accord', () => {
  test('goes to the client’s handler', async () => {
    const heard: unknown[] = []
    let server: MessageContext | undefined
    const session = openInProcess(
      {
        onMessage: (_, context) => {
          server = context
        },
      },
      {
        client: {
          onMessage(message) {
            heard.push([message.method, message.params])
            return { roots: [] }
          },
        },
      },
    )
    await session.request('a', {})
    server?.session.notify('notifications/tools/list_changed')
    expect(await server?.session.request('roots/list', {})).toEqual({ roots: [] })
    expect(heard).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['roots/list', {}],
    ])
  })

  test('is refused where nobody listens, and where the client did not declare it', async () => {
    let server: MessageContext | undefined
    const session = openInProcess({
      onMessage(message, context) {
        server = context
        return message.method === 'initialize' ? { protocolVersion: '2025-11-25' } : {}
      },
    })
    await session.request('a', {})
    await expect(server?.session.request('roots/list', {})).rejects.toThrow(
      'Method not found: roots/list',
    )
    await initialize(session, { info: { name: 'c', version: '1' }, capabilities: {} })
    await expect(server?.ask('roots/list', {})).rejects.toThrow(
      'Method not found: roots/list. The client did not declare the capability "roots".',
    )
  })

  test('fails nobody when the client’s handler does', async () => {
    const errors: string[] = []
    let server: MessageContext | undefined
    const session = openInProcess(
      {
        onMessage: (_, context) => {
          server = context
        },
      },
      {
        client: { onMessage: () => Promise.reject(new Error('broken')) },
        onError: ({ message }) => errors.push(message),
      },
    )
    await session.request('a', {})
    server?.session.notify('x')
    await Promise.resolve()
    await Promise.resolve()
    expect(errors).toEqual(['broken'])
  })
})

test('ping is answered without the handler', async () => {
  const session = openInProcess({
    onMessage() {
      throw new Error('The handler was asked')
    },
  })
  expect(await session.request('ping', {})).toEqual({})
})

test('a request that fails to be answered by anything but an object is answered with an empty one', async () => {
  const odd: unknown[] = [undefined, null, 'text', [1]]
  for (const value of odd) {
    const session = openInProcess({ onMessage: () => value })
    expect(await session.request('a', {})).toEqual({})
  }
  expect(await openInProcess(silent).request('a', {} as JsonObject)).toEqual({})
})
