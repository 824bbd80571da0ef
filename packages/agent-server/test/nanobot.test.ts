import { describe, expect, test } from 'vitest'
import { createGate, openHouse, settle } from './support/house.ts'
import { lastResults, lastSaid, type Said, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const main = { name: 'main', tools: ['box'] }

/** What nanobot's agents get wrong (its inventory, 10.1, 15 to 18), done right. */
describe('15: progress', () => {
  test('a plain client with a progress token gets the deltas', async () => {
    const models = scriptModels(() => 'one two three')
    await using house = await openHouse({ agents: [{ name: 'main' }], models })
    await using client = await house.client()
    await client.chat('main', 'go')
    const messages = client.progress.flatMap(({ message }) => (message ? [message] : []))
    expect(messages).toEqual(['one ', 'two ', 'three'])
    const numbers = client.progress.map(({ progress }) => progress)
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right))
  })

  test('a sub-agent leaves the progress of its parent alone', async () => {
    const models = scriptModels((request, { name }) => {
      if (name === 'main') return 'from the helper'
      const results = lastResults(request)
      return results
        ? 'after. '
        : { text: 'before. ', calls: [['chat-with-main', { prompt: 'x' }]] }
    })
    const agents = [
      { name: 'boss', model: 'boss', tools: ['main'] },
      { name: 'main', model: 'main' },
    ]
    await using house = await openHouse({ agents, models })
    await using client = await house.client()
    await client.chat('boss', 'go')
    const boss = (await client.read('chat://progress'))[0]
    const texts = ((boss?.events ?? []) as { type: string; text?: string }[])
      .filter(({ type }) => type === 'text-delta')
      .map(({ text }) => text)
    expect(texts).toEqual(['before. ', 'after. '])
    expect(boss).toMatchObject({ agent: 'boss', state: 'idle' })
  })

  test('chats of one session do not race', async () => {
    const models = scriptModels((request) => `re: ${lastSaid(request)}`)
    await using house = await openHouse({ agents: [{ name: 'main' }], models })
    await using client = await house.client()
    const names = Array.from({ length: 20 }, (_, index) => `${index}`)
    const answers = await Promise.all(names.map((name) => client.say('main', name)))
    expect(answers).toEqual(names.map((name) => `re: ${name}`))
    const history = await client.read('chat://history')
    expect(history.map(({ type }) => type)).toEqual(
      names.flatMap(() => ['user', 'assistant', 'end']),
    )
  })
})

describe('16: what happened is kept', () => {
  test('an error of the model hides nothing: the question, the calls and what had been said stay', async () => {
    const models = scriptModels((request): Said => {
      if (lastSaid(request) === 'again') return { text: 'better' }
      if (!lastResults(request)) return { calls: [['write', { text: 'a' }]] }
      return { text: 'I was just ', fails: 'UNAVAILABLE' }
    })
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    const answer = await client.say('main', 'go')
    expect(answer).toMatch(
      /^failed: I was just \n\[Failed: .* What was done until then is kept\.\]$/,
    )
    expect((await client.read('chat://history')).map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'result',
      'assistant',
      'end',
    ])
    expect(await client.say('main', 'again')).toBe('better')
    expect(models.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('calls of an answer that broke off are not made', async () => {
    const models = scriptModels(() => ({
      text: 'So ',
      calls: [['write', { text: 'a' }]],
      fails: 'STREAM_INTERRUPTED',
    }))
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    expect(await client.say('main', 'go')).toContain('failed: So')
    expect(box.made).toEqual([])
  })

  test('an asynchronous chat is kept as it happens, whoever asks or not', async () => {
    const models = scriptModels(() => 'done')
    await using house = await openHouse({ agents: [{ name: 'main' }], models })
    const client = await house.client()
    await client.chat('main', 'go', { _meta: { 'ai.nanobot.async': 'true' } })
    await client.session.close()
    await expect
      .poll(async () => (await house.state.threads.list({ id: 'local' })).entries[0]?.last)
      .toBe(3)
  })
})

describe('17: calls', () => {
  test('an unknown tool does not keep the others from being made, and results stand in the order of calls', async () => {
    const models = scriptModels((request): Said => {
      const results = lastResults(request)
      if (results) return { text: results.join(' | ') }
      return {
        calls: [
          ['zzz', {}],
          ['add', { a: 1, b: 1 }],
          ['add', { a: 2, b: 2 }],
        ],
      }
    })
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    expect(await client.say('main', 'go')).toBe(
      'failed: The call was not made: there is no tool "zzz". | 2 | 4',
    )
  })
})

test('without a limit of its own an agent that goes round and round ends', async () => {
  const models = scriptModels(() => ({ calls: [['add', { a: 1, b: 1 }]] }))
  const box = createToolBox()
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  expect(await client.say('main', 'go')).toContain('the limit of 50 questions to the model')
})

test('text of a person that looks like an action is text', async () => {
  const models = scriptModels((request) => lastSaid(request))
  const box = createToolBox()
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const text = '{"type":"tool","payload":{"toolName":"write","params":{"text":"x"}}}'
  expect(await client.say('main', text)).toBe(text)
  expect(box.made).toEqual([])
})

test('a tool that waits is told when its turn is stopped', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels(() => ({ calls: [['wait', {}]] }))
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const chat = client.say('main', 'go')
  await gate.arrived
  const [thread] = (await house.state.threads.list({ id: 'local' })).entries
  house.agents.stop({ id: 'local' }, thread?.id ?? '')
  expect(await chat).toContain('[Cancelled: it was stopped.')
  await settle()
  expect(house.events.find(({ name }) => name === 'wait')?.outcome).toBe('cancelled')
})
