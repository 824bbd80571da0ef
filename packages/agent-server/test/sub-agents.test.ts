import { expect, test } from 'vitest'
import { eventMeta } from '../src/index.ts'
import { openHouse } from './support/house.ts'
import { lastResults, lastSaid, type Script, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

/** Each agent's model is named after it. */
const chain: Script = (request, { name }) => {
  const results = lastResults(request)
  if (results) return `${name} heard: ${results.join(' | ')}`
  if (name === 'boss') return { calls: [['chat-with-helper', { prompt: lastSaid(request) }]] }
  return { calls: [['add', { a: 1, b: 2 }]] }
}

test('an agent calls an agent that calls a tool', async () => {
  const models = scriptModels(chain)
  const box = createToolBox()
  const boss = { name: 'boss', model: 'boss', tools: ['helper'] }
  const helper = { name: 'helper', model: 'helper', tools: ['box'] }
  await using house = await openHouse({ agents: [boss, helper], models, servers: [box.definition] })
  await using client = await house.client()
  expect(await client.say('boss', 'sum up')).toMatch(
    /^boss heard: helper heard: 3\n\[Thread \S+: to go on with this conversation, pass it as "thread"\.\]$/,
  )
  expect(models.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 3, 3])
  const { entries } = await house.state.threads.list({ id: 'local' })
  const parent = entries.find(({ agent }) => agent === 'boss')
  expect(entries.find(({ agent }) => agent === 'helper')?.parent).toBe(parent?.id)
  const add = house.events.find(({ name }) => name === 'add')
  expect(add?.origin).toEqual({
    kind: 'agent',
    name: 'helper',
    cause: { kind: 'agent', name: 'boss', cause: { kind: 'client', name: 'test' } },
  })
})

test('what a sub-agent says comes nested in the progress of its caller, in order', async () => {
  const models = scriptModels((request, about) =>
    about.name === 'helper' ? 'one two three' : chain(request, about),
  )
  const boss = { name: 'boss', model: 'boss', tools: ['helper'] }
  const helper = { name: 'helper', model: 'helper' }
  await using house = await openHouse({ agents: [boss, helper], models })
  await using client = await house.client()
  await client.chat('boss', 'go')
  const events = client.progress.map(
    ({ _meta }) => (_meta as Record<string, { event: Record<string, unknown> }>)[eventMeta]?.event,
  )
  const types = events.map((event) => {
    const inner = event?.event as { type: string; text?: string } | undefined
    return inner ? `${event?.type}/${inner.type}${inner.text ? ` ${inner.text}` : ''}` : event?.type
  })
  expect(types).toMatchInlineSnapshot(`
    [
      "turn-start",
      "tool-call-start",
      "tool-call",
      "tool-progress/turn-start",
      "tool-progress/text-delta one ",
      "tool-progress/text-delta two ",
      "tool-progress/text-delta three",
      "tool-progress/turn-end",
      "tool-result",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-delta",
      "turn-end",
    ]
  `)
  const [progress] = await client.read('chat://progress')
  expect(progress).toMatchObject({ state: 'idle' })
  const texts = ((progress?.events ?? []) as Record<string, unknown>[]).filter(({ event }) => event)
  expect(texts.map(({ event }) => event)).toContainEqual({
    type: 'text-delta',
    id: '2',
    text: 'one two three',
  })
})

test('a circle of agents is refused by name', async () => {
  const models = scriptModels((request, { name }) => {
    const results = lastResults(request)
    if (results) return `${name}: ${results.join()}`
    return { calls: [[name === 'left' ? 'chat-with-right' : 'chat-with-left', { prompt: 'go' }]] }
  })
  const left = { name: 'left', model: 'left', tools: ['right'] }
  const right = { name: 'right', model: 'right', tools: ['left'] }
  await using house = await openHouse({ agents: [left, right], models })
  await using client = await house.client()
  expect(await client.say('left', 'go')).toContain(
    'chat-with-left was refused: the agents would call each other in a circle: left -> right -> left.',
  )
  expect(models.requests).toHaveLength(4)
})

test('too long a chain of agents is refused by name', async () => {
  const models = scriptModels((request, { name }) => {
    const results = lastResults(request)
    if (results) return results.join()
    return { calls: [[`chat-with-agent-${Number(name) + 1}`, { prompt: 'go' }]] }
  })
  const agents = [0, 1, 2, 3].map((each) => ({
    name: `agent-${each}`,
    model: `${each}`,
    tools: [`agent-${each + 1}`],
  }))
  await using house = await openHouse({ agents, models, maxDepth: 3 })
  await using client = await house.client()
  expect(await client.say('agent-0', 'go')).toContain(
    'chat-with-agent-3 was refused: at most 3 agents may call one another in a chain: agent-0 -> agent-1 -> agent-2 -> agent-3.',
  )
})

test('a sub-agent goes on with a thread that its caller names, and else knows nothing of the last', async () => {
  let thread = ''
  const models = scriptModels((request, { name }) => {
    const results = lastResults(request)
    if (name === 'helper') {
      return `${request.messages.filter(({ role }) => role === 'user').length} said`
    }
    if (results) {
      thread = /Thread (\S+):/.exec(results[0] ?? '')?.[1] ?? ''
      return results[0]?.split('\n')[0] ?? ''
    }
    const more = lastSaid(request) === 'again' ? { thread } : {}
    return { calls: [['chat-with-helper', { prompt: 'hello', ...more }]] }
  })
  const boss = { name: 'boss', model: 'boss', tools: ['helper'] }
  await using house = await openHouse({
    agents: [boss, { name: 'helper', model: 'helper' }],
    models,
  })
  await using client = await house.client()
  expect(await client.say('boss', 'new')).toBe('1 said')
  expect(await client.say('boss', 'new')).toBe('1 said')
  expect(await client.say('boss', 'again')).toBe('2 said')
})
