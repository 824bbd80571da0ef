import { defineServer, type MessageContext, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Sharing } from '../src/index.ts'
import { createGateway } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const clients = 10
const calls = 50

/** Answers out of order, after progress and a log message that say whose call it is. */
function echo() {
  return serveUpstream(
    answerTools({
      echo: async ({ arguments: args }, context: MessageContext) => {
        const { who, n } = args as { who: string; n: number }
        context.progress({ progress: n, message: who })
        for (let turn = 0; turn < n % 5; turn++) await settle()
        context.notify('notifications/message', { level: 'info', data: who })
        return { ...text(`${who} ${n}`), who: context.principal.id }
      },
    }),
  )
}

const inside = defineServer({
  name: 'inside',
  version: '1',
  instance: 'process',
  tools: {
    echo: tool({
      description: 'Calls the other.',
      input: z.object({ who: z.string(), n: z.number() }),
      async run({ who, n }, context) {
        const { content } = await context.caller.call({ server: 'one', tool: 'echo' }, { who, n })
        return `${String(content[0]?.text)} for ${context.principal.id}`
      },
    }),
  },
})

describe.each<Sharing>(['session', 'principal', 'process'])(
  'with connections per %s',
  (sharing) => {
    test(`${clients} clients with ${calls} calls each get their own answers, progress and logs`, async () => {
      await using gateway = createGateway({ upstreams: { one: [echo(), { sharing }] } })
      const everyone = await Promise.all(
        Array.from({ length: clients }, (_, index) =>
          gateway.client({ name: `c${index}`, principal: { id: `p${index}`, scopes: [] } }),
        ),
      )
      const work = everyone.flatMap((client, index) =>
        Array.from({ length: calls }, async (_, n) => {
          const progress: unknown[] = []
          const params = { name: 'one__echo', arguments: { who: `c${index}`, n } }
          const { content } = await client.session.request('tools/call', params, {
            onProgress: (each) => progress.push([each.message, each.progress]),
          })
          expect(content).toEqual(text(`c${index} ${n}`).content)
          expect(progress).toEqual([[`c${index}`, n]])
        }),
      )
      await Promise.all(work)
      everyone.forEach((client, index) => {
        const logs = client.received('notifications/message').map(({ data }) => data)
        expect(logs).toEqual(Array(calls).fill(`c${index}`))
        const related = client.related.filter((id) => id !== undefined)
        expect(new Set(related).size).toBe(calls)
      })
      expect(new Set(gateway.events.map(({ id }) => id)).size).toBe(clients * calls)
      for (const { principal, origin } of gateway.events) {
        expect(origin.name).toBe(principal.replace('p', 'c'))
      }
    })

    test('a built-in server that everybody shares acts for each as that one', async () => {
      await using gateway = createGateway({
        upstreams: { one: [echo(), { sharing }] },
        builtIns: [inside],
      })
      const everyone = await Promise.all(
        Array.from({ length: clients }, (_, index) =>
          gateway.client({ principal: { id: `p${index}`, scopes: [] } }),
        ),
      )
      await Promise.all(
        everyone.map(async (client, index) => {
          const answer = await client.text('inside__echo', { who: `c${index}`, n: index })
          expect(answer).toBe(`c${index} ${index} for p${index}`)
        }),
      )
      const nested = gateway.events.filter(({ server }) => server === 'one')
      expect(new Set(nested.map(({ principal }) => principal)).size).toBe(clients)
    })
  },
)
