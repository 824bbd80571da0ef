import { describe, expect, test } from 'vitest'
import {
  defineServer,
  type MessageHandler,
  openInProcess,
  type ServerOptions,
  type ToolContext,
  tool,
} from '../../src/index.ts'
import { build, callText, errorOf, openServer } from '../support/conversation.ts'

/** A server whose one tool does this. */
const doing = (run: (context: ToolContext) => unknown): Partial<ServerOptions> => ({
  logging: true,
  tools: { do: tool({ description: '', run: async (_, context) => String(await run(context)) }) },
})

const answering: MessageHandler = {
  onMessage({ method, params }) {
    if (method === 'elicitation/create') return { action: 'accept', content: { said: params } }
    if (method === 'sampling/createMessage') return { model: 'm', content: { text: 'hi' } }
    if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] }
    return undefined
  },
}

describe('what a tool gets beside its arguments', () => {
  test('asks the client’s person, model and roots', async () => {
    await using talk = await openServer(
      doing(async (context) => {
        const form = { type: 'object' as const, properties: {} }
        const elicited = await context.elicit({ message: 'Sure?', requestedSchema: form })
        const sampled = await context.sample({ messages: [], maxTokens: 1 })
        return JSON.stringify([elicited.action, sampled.model, await context.listRoots()])
      }),
      { client: answering, capabilities: { elicitation: {}, sampling: {}, roots: {} } },
    )
    expect(await callText(talk.client, 'do')).toBe('["accept","m",{"roots":[{"uri":"file:///a"}]}]')
  })

  test('is refused at once what the client did not declare', async () => {
    await using talk = await openServer(doing((context) => context.listRoots()))
    expect(await callText(talk.client, 'do')).toMatchInlineSnapshot(
      `"failed: Method not found: roots/list. The client did not declare the capability "roots"."`,
    )
    expect(talk.fromServer).toHaveLength(1)
  })

  test('tells who calls, in which session, with which _meta', async () => {
    await using talk = await openServer(
      doing(({ principal, session, call, meta }) =>
        JSON.stringify([principal.id, session.peer?.info.name, call.origin, call.depth, meta]),
      ),
    )
    const ask = async (_meta: unknown) => {
      const { content } = await talk.client.request('tools/call', { name: 'do', _meta })
      return JSON.parse((content as [{ text: string }])[0].text)
    }
    const origin = { kind: 'client', name: 'client' }
    expect(await ask({ trace: 't' })).toEqual(['local', 'client', origin, 0, { trace: 't' }])
    expect(await ask('odd')).toEqual(['local', 'client', origin, 0, {}])
  })

  test('has no other servers where it was given no Caller', async () => {
    await using talk = await openServer(
      doing(({ caller }) => caller.call({ server: 'a', tool: 'b' }, {})),
    )
    expect(await callText(talk.client, 'do')).toMatchInlineSnapshot(
      `"failed: This server was given no Caller, so it cannot call other servers. Host it in a tools service to give it one."`,
    )
  })

  test('is told that the call was cancelled', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    await using talk = await openServer(
      doing(
        ({ signal }) =>
          new Promise(() => signal.addEventListener('abort', () => resolve(signal.reason))),
      ),
    )
    const controller = new AbortController()
    const answer = errorOf(
      talk.client.request('tools/call', { name: 'do' }, { signal: controller.signal }),
    )
    controller.abort(new Error('bored'))
    expect(await answer).toBe('-32003 tools/call was cancelled: bored')
    expect(await promise).toEqual(new DOMException('bored', 'AbortError'))
  })
})

describe('log lines', () => {
  const logging = doing((context) => {
    context.log('debug', 'small')
    context.log('error', { big: true }, 'disk')
  })
  const heard = (talk: { fromServer: unknown[] }) =>
    talk.fromServer.filter((message) => 'method' in (message as object))

  test('all go to the client before it says which it wants', async () => {
    await using talk = await openServer(logging)
    await callText(talk.client, 'do')
    expect(heard(talk)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'debug', data: 'small' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'error', logger: 'disk', data: { big: true } },
      },
    ])
  })

  test('below the level that the client set are kept back, in that session alone', async () => {
    const handler = await build(defineServer({ name: 's', version: '1', ...logging }))
    const lines: Record<string, unknown[]> = { quiet: [], loud: [] }
    const open = (name: string) =>
      openInProcess(handler, {
        client: { onMessage: ({ params }) => void lines[name]?.push(params?.level) },
      })
    const [quiet, loud] = [open('quiet'), open('loud')]
    expect(await quiet.request('logging/setLevel', { level: 'warning' })).toEqual({})
    await callText(quiet, 'do')
    await callText(loud, 'do')
    expect(lines).toEqual({ quiet: ['error'], loud: ['debug', 'error'] })
  })

  test('have levels that are known', async () => {
    await using talk = await openServer(logging)
    expect(
      await errorOf(talk.client.request('logging/setLevel', { level: 'loud' })),
    ).toMatchInlineSnapshot(
      `"-32602 Invalid params: "level" must be one of debug, info, notice, warning, error, critical, alert, emergency, received "loud""`,
    )
  })

  test('are not sent by a server that did not declare them', async () => {
    await using talk = await openServer({ ...logging, logging: false })
    await callText(talk.client, 'do')
    expect(heard(talk)).toEqual([])
    expect(await errorOf(talk.client.request('logging/setLevel', { level: 'info' }))).toBe(
      '-32601 Method not found: logging/setLevel',
    )
  })
})
