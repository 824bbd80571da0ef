import {
  defineServer,
  initialize,
  type JsonObject,
  openInProcess,
  tool,
} from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { createGateway } from './support/gateway.ts'
import { answer, answerTools, serveUpstream, text } from './support/upstream.ts'

const inside = defineServer({
  name: 'inside',
  version: '1',
  tools: {
    ask: tool({
      description: 'Asks, through another.',
      async run(_, { caller }) {
        const result = await caller.call({ server: 'one', tool: 'ask' }, {})
        return JSON.stringify(result.answer)
      },
    }),
  },
})

test('a client in this process is like any other: it calls, is asked, is told, and can leave', async () => {
  const server = serveUpstream(
    answerTools({
      ask: async (_, context) => {
        context.progress({ progress: 1 })
        context.notify('notifications/message', { level: 'info', data: 'asking' })
        return { ...text(''), answer: await context.ask('elicitation/create', { message: '?' }) }
      },
    }),
  )
  await using gateway = createGateway({ builtIns: [inside], upstreams: { one: server } })
  const told: unknown[] = []
  const client = answer({
    'elicitation/create': (params: JsonObject) => ({ action: 'accept', params }),
    'notifications/message': ({ data }) => told.push(data),
  })
  const { clock } = gateway
  const session = openInProcess(gateway.published, { client, clock, crossing: 'frozen' })
  const info = { name: 'embedder', version: '1' }
  await initialize(session, { info, capabilities: { elicitation: {} } })
  expect(server.attempts).toBe(0)
  const onProgress = ({ progress }: { progress: number }) => told.push(progress)
  const direct = await session.request('tools/call', { name: 'one__ask' }, { onProgress })
  expect(direct.answer).toEqual({ action: 'accept', params: { message: '?' } })
  expect(told).toEqual([1, 'asking'])
  const nested = await session.request('tools/call', { name: 'inside__ask' })
  expect(nested.content).toEqual(text('{"action":"accept","params":{"message":"?"}}').content)
  expect(server.received('initialize')).toMatchObject([
    { clientInfo: info, capabilities: { elicitation: {} } },
  ])
  await session.close()
  expect(server.open).toBe(0)
})
