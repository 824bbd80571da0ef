import { deadlinesOf, defineServer, tool } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { createGateway } from './support/gateway.ts'
import { createPolicy, toHooks } from './support/policy.ts'
import { settle } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const inside = defineServer({
  name: 'inside',
  version: '1',
  tools: {
    go: tool({
      description: 'Calls another.',
      async run(_, { caller, signal }) {
        signal.throwIfAborted()
        await caller.call({ server: 'one', tool: 'fine' }, {})
        return 'done'
      },
    }),
  },
})

test('after 10,000 calls nothing is left of them', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const server = serveUpstream(answerTools({ fine: () => text('fine') }))
  await using gateway = createGateway({ upstreams: { one: server }, builtIns: [inside] })
  const deadlines = deadlinesOf(gateway.clock)
  const client = await gateway.client()
  await client.names()
  await client.text('inside__go')
  await gateway.clock.advance(1000)
  const timers = gateway.clock.timers
  const pending = deadlines.entries().length
  for (let count = 0; count < 100; count++) {
    const calls = Array.from({ length: 100 }, (_, index) =>
      client.text(index % 4 === 0 ? 'inside__go' : 'one__fine'),
    )
    for (const answer of await Promise.all(calls)) expect(answer).toMatch(/^(done|fine)$/)
    client.messages.length = 0
    client.related.length = 0
  }
  expect(gateway.events.length).toBeGreaterThan(10_000)
  await gateway.clock.advance(1000)
  expect(gateway.clock.timers).toBe(timers)
  expect(deadlines.entries()).toHaveLength(pending)
  expect(gateway.service.states()).toMatchObject([{ connections: 1 }, { connections: 1 }])
  expect(server.attempts).toBe(1)
  expect(warnings).toEqual([])
  process.off('warning', onWarning)
})

test('after 2,000 calls that hooks looked at, and 40 changes of the configuration, nothing is left of them', async () => {
  const policy = createPolicy({
    change: () => ({ patch: { params: { arguments: { changed: true } } } }),
    watch: () => undefined,
  })
  const server = serveUpstream(answerTools({ fine: () => text('fine') }))
  await using gateway = createGateway({ builtIns: [policy.definition] })
  const hooks = toHooks(
    { 'tools/call?server=one': ['policy/change', '!mutate:policy/watch'] },
    {},
    gateway.clock,
  )
  const client = await gateway.client()
  const names: string[] = []
  for (let edition = 0; edition < 40; edition++) {
    const identity = `edition ${edition}`
    gateway.service.apply({ servers: [configure('one', server, { identity })], hooks })
    const calls = Array.from({ length: 50 }, () => client.text('one__fine'))
    names.push(...(await Promise.all(calls)))
    client.messages.length = 0
    client.related.length = 0
  }
  expect(new Set(names)).toEqual(new Set(['fine']))
  await gateway.clock.advance(1000)
  expect(server.open).toBe(1)
  expect(gateway.service.states()).toMatchObject([
    { name: 'policy', connections: 1 },
    { name: 'one', connections: 1 },
  ])
  await client.session.close()
  await settle()
  await gateway.clock.advance(60_000)
  expect(server.open).toBe(0)
  // The hooks' own connection to their policy stays until it is idle.
  expect(deadlinesOf(gateway.clock).entries()).toHaveLength(1)
  expect(gateway.clock.timers).toBe(1)
})

test('after 200 sessions, with crashes, nothing is left of them', async () => {
  const server = serveUpstream(
    answerTools(
      { fine: () => text('fine') },
      {
        'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'one' }] }),
        'resources/templates/list': () => ({ resourceTemplates: [] }),
        'resources/subscribe': () => ({}),
      },
    ),
  )
  await using gateway = createGateway({ upstreams: { one: server }, builtIns: [inside] })
  for (let count = 0; count < 200; count++) {
    const client = await gateway.client()
    await client.names()
    await client.text('inside__go')
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    if (count % 10 === 0) await server.crash()
    await client.session.close()
  }
  await settle()
  await gateway.clock.advance(60_000)
  expect(server.open).toBe(0)
  expect(gateway.service.states()).toMatchObject([{ connections: 0 }, { connections: 0 }])
  expect(deadlinesOf(gateway.clock).entries()).toEqual([])
  expect(gateway.clock.timers).toBe(0)
})

test('what a session used is collected when it is gone', async () => {
  const server = serveUpstream(answerTools({ fine: () => text('fine') }))
  await using gateway = createGateway({
    upstreams: { one: [server, { sharing: 'process' }] },
    builtIns: [inside],
  })
  const gone: WeakRef<object>[] = []
  const use = async () => {
    const client = await gateway.client()
    await client.names()
    await client.text('inside__go')
    gone.push(new WeakRef(client.host))
    await client.session.close()
  }
  for (let count = 0; count < 20; count++) await use()
  await gateway.clock.advance(60_000)
  await collect()
  expect(gone.filter((reference) => reference.deref()).length).toBeLessThanOrEqual(1)
})

/** V8 collects when asked to by a flag that can be set while it runs. */
async function collect(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let count = 0; count < 3; count++) {
    await settle()
    gc()
  }
}
