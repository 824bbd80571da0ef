import { defineServer } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { threadMeta, whenBusyMeta } from '../src/index.ts'
import { createGate, openHouse, settle, textOf } from './support/house.ts'
import { callsWhatIsSaid, lastResults, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const busy = (value: string) => ({ _meta: { [whenBusyMeta]: value } })

test('a hundred chats at once do not mix', async () => {
  const models = scriptModels((request) => {
    const results = lastResults(request)
    const said = request.messages.filter(({ role }) => role === 'user').length
    if (results) return `${lastSaid(request)} made ${results.join()} of ${said}`
    const number = Number(lastSaid(request))
    return { calls: [['add', { a: number, b: 1000 }]] }
  })
  const box = createToolBox()
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  const clients = await Promise.all(Array.from({ length: 100 }, () => house.client()))
  const answers = await Promise.all(clients.map((client, index) => client.say('main', `${index}`)))
  expect(answers).toEqual(clients.map((_, index) => `${index} made ${index + 1000} of 1`))
  const read = await Promise.all(clients.map((client) => client.read('chat://history')))
  expect(read.map((items) => items.length)).toEqual(clients.map(() => 5))
})

test('chats to one thread wait for one another, in their order', async () => {
  const gate = createGate()
  const models = scriptModels(async (request) => {
    if (lastSaid(request) === 'one') await gate.wait()
    return request.messages
      .map(({ content }) => content.map((part) => ('text' in part ? part.text : '')).join())
      .join(' ')
  })
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  const first = client.say('main', 'one')
  await gate.arrived
  const second = client.say('main', 'two')
  const third = client.say('main', 'three')
  await settle()
  expect(models.requests).toHaveLength(1)
  gate.open()
  expect(await Promise.all([first, second, third])).toEqual([
    'one',
    'one one two',
    'one one two one one two three',
  ])
})

test('a chat may be refused instead, or said to the turn that is under way', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) => {
    const results = lastResults(request)
    if (!results && request.messages.length === 1) return { calls: [['wait', {}]] }
    return `heard ${lastSaid(request)}`
  })
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const first = client.say('main', 'begin')
  await gate.arrived
  expect(await client.say('main', 'no', busy('reject'))).toMatch(/^failed: The thread \S+ is busy/)
  const steered = client.say('main', 'rather this', busy('steer'))
  await settle()
  gate.open()
  expect(await Promise.all([first, steered])).toEqual(['heard rather this', 'heard rather this'])
  const roles = models.requests.at(-1)?.messages.map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(await client.say('main', 'x', busy('whenever'))).toContain(
    'to be queue, steer or reject, received "whenever"',
  )
})

test('what is said while the model gives its last answer is heard too', async () => {
  const gate = createGate()
  const models = scriptModels(async (request) => {
    if (request.messages.length === 1) await gate.wait()
    return `heard ${lastSaid(request)}`
  })
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  const first = client.say('main', 'one')
  await gate.arrived
  const second = client.say('main', 'two', busy('steer'))
  await settle()
  gate.open()
  expect(await Promise.all([first, second])).toEqual(['heard two', 'heard two'])
})

test('who takes a chat back stops it: what happened is kept, and says so', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) => {
    if (lastSaid(request) === 'and now?') return 'all is well'
    if (lastResults(request))
      return {
        calls: [
          ['wait', {}],
          ['write', { text: 'b' }],
        ],
      }
    return { text: 'On it. ', calls: [['write', { text: 'a' }]] }
  })
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const abort = new AbortController()
  const params = { name: 'chat-with-main', arguments: { prompt: 'go' } }
  const chat = client.session.request('tools/call', params, { signal: abort.signal })
  await gate.arrived
  abort.abort()
  await expect(chat).rejects.toThrow()
  await expect.poll(async () => (await client.read('chat://history')).at(-1)?.type).toBe('end')
  expect(box.made).toEqual(['write a', 'wait'])
  const history = await client.read('chat://history')
  expect(
    history.map(({ type, text, content }) => ({ type, text: text ?? content })),
  ).toMatchInlineSnapshot(`
    [
      {
        "text": [
          {
            "text": "go",
            "type": "text",
          },
        ],
        "type": "user",
      },
      {
        "text": [
          {
            "text": "On it. ",
            "type": "text",
          },
          {
            "arguments": {
              "text": "a",
            },
            "id": "call-1",
            "name": "write",
            "type": "tool-call",
          },
        ],
        "type": "assistant",
      },
      {
        "text": [
          {
            "text": "wrote a",
            "type": "text",
          },
        ],
        "type": "result",
      },
      {
        "text": [
          {
            "arguments": {},
            "id": "call-2",
            "name": "wait",
            "type": "tool-call",
          },
          {
            "arguments": {
              "text": "b",
            },
            "id": "call-3",
            "name": "write",
            "type": "tool-call",
          },
        ],
        "type": "assistant",
      },
      {
        "text": [
          {
            "text": "The call was cancelled: whoever asked for it took it back. It may have been done all the same.",
            "type": "text",
          },
        ],
        "type": "result",
      },
      {
        "text": [
          {
            "text": "The call was not made: whoever asked for it took it back.",
            "type": "text",
          },
        ],
        "type": "result",
      },
      {
        "text": "[Cancelled: whoever asked for it took it back. What was done until then is kept.]",
        "type": "end",
      },
    ]
  `)
  expect(await client.say('main', 'and now?')).toBe('all is well')
})

test('what the model had said when it was stopped is kept', async () => {
  const gate = createGate<string>()
  const models = scriptModels((request) => (request.messages.length === 1 ? gate.wait() : 'on'))
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  const chat = client.chat('main', 'go')
  await gate.arrived
  const { entries } = await house.state.threads.list({ id: 'local' })
  const thread = entries[0]?.id ?? ''
  expect(house.agents.stop({ id: 'nobody' }, thread)).toBe(false)
  expect(house.agents.isBusy({ id: 'nobody' }, thread)).toBe(false)
  expect(house.agents.isBusy({ id: 'local' }, thread)).toBe(true)
  expect(house.agents.stop({ id: 'local' }, thread)).toBe(true)
  const result = await chat
  expect(result).toMatchObject({ isError: true, _meta: { [threadMeta]: thread } })
  expect(textOf(result)).toBe(
    'failed: [Cancelled: it was stopped. What was done until then is kept.]',
  )
  expect(house.agents.stop({ id: 'local' }, thread)).toBe(false)
  expect(house.agents.isBusy({ id: 'local' }, thread)).toBe(false)
})

test('a thread is renamed by whoever has it, and whoever looks on is told', async () => {
  const models = scriptModels(() => 'yes')
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  await client.say('main', 'go')
  const { entries } = await house.state.threads.list({ id: 'local' })
  const thread = entries[0]?.id ?? ''
  const uri = `chat://threads/${thread}`
  await client.session.request('resources/subscribe', { uri })
  await settle()
  expect(await house.agents.rename({ id: 'nobody' }, thread, 'Mine')).toBe(false)
  expect(await house.agents.rename({ id: 'local' }, thread, 'Ours')).toBe(true)
  expect(await client.read(uri)).toMatchObject([{ title: 'Ours' }])
  expect(client.received('notifications/resources/updated')).toContainEqual({ uri })
})

test.each([
  ['turns', { turns: 2 }, 'the limit of 2 questions to the model was reached'],
  ['tokens', { tokens: 250 }, 'the limit of 250 tokens was reached'],
  ['cost', { cost: 0.5 }, 'the limit of 0.5 in cost was reached'],
])('a turn ends politely at a limit of %s', async (_name, limits, why) => {
  const models = scriptModels(() => ({
    text: 'More. ',
    calls: [['add', { a: 1, b: 1 }]],
    usage: { inputTokens: 100, outputTokens: 50 },
    cost: 0.3,
  }))
  const box = createToolBox()
  const main = { name: 'main', tools: ['box'], limits }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  expect(await client.say('main', 'go')).toBe(
    `More. \n[Stopped: ${why}. What was done until then is kept; say how to go on.]`,
  )
  expect(models.requests).toHaveLength(2)
})

test('a turn ends politely at a limit of time', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels(callsWhatIsSaid)
  const main = { name: 'main', tools: ['box'], limits: { time: 60_000 } }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const chat = client.say('main', 'wait')
  await gate.arrived
  await house.clock.advance(60_000)
  expect(await chat).toContain('[Stopped: the limit of 60000 ms was reached')
})

test('the time in which a question is open does not count, and whoever waits sees signs of life', async () => {
  const box = createToolBox()
  const models = scriptModels(callsWhatIsSaid)
  const main = { name: 'main', tools: ['box'], limits: { time: 60_000 } }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const chat = client.say('main', 'ask')
  await expect.poll(async () => (await client.read('chat://elicitation')).length).toBe(1)
  const before = client.progress.length
  await house.clock.advance(50_000)
  // Longer than the whole, and than anybody waits without hearing anything.
  for (let minute = 0; minute < 7; minute += 1) await house.clock.advance(60_000)
  expect(client.progress.length - before).toBeGreaterThan(12)
  const [question] = await client.read('chat://elicitation')
  const answer = { action: 'accept', content: { colour: 'red' } }
  expect(await house.agents.answer({ id: 'local' }, String(question?.id), answer)).toBe(true)
  expect(await chat).toBe('It said: accept red')
})

test('a chat that takes longer to arrive is not overtaken', async () => {
  const gate = createGate<string>()
  const slow = defineServer({
    name: 'slow',
    version: '1',
    resources: { 'slow://page': { name: 'page', read: () => gate.wait() } },
  })
  const models = scriptModels((request) => `re: ${lastSaid(request)}`)
  await using house = await openHouse({ agents: [{ name: 'main' }], models, servers: [slow] })
  await using client = await house.client()
  const attachments = [{ url: 'slow://page', server: 'slow' }]
  const first = client.say('main', 'one ', { attachments })
  await gate.arrived
  const second = client.say('main', 'two')
  await settle()
  expect(models.requests).toEqual([])
  gate.open('and a page')
  expect(await Promise.all([first, second])).toEqual(['re: one and a page', 're: two'])
  expect(models.requests.map(({ messages }) => messages.length)).toEqual([1, 3])
})
