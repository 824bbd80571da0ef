import { createMemoryState, type State } from '@mobius-mcp/state'
import { createSessionMemory } from '@mobius-mcp/testing/session-memory.ts'
import { createTestClock, type TestClock } from '@mobius-mcp/testing/test-clock.ts'
import type { ApprovalRequest, ToolsServiceOptions } from '@mobius-mcp/tools-service'
import { expect, test } from 'vitest'
import { type AgentDefinition, asyncMeta, threadMeta } from '../src/index.ts'
import { createGate, type House, openHouse, settle } from './support/house.ts'
import { lastResults, lastSaid, type Script, scriptModels } from './support/scripted-model.ts'
import { createToolBox, type ToolBox } from './support/tools.ts'

interface Process {
  readonly house: House
  readonly models: ReturnType<typeof scriptModels>
}

/** Processes that share what is kept: each lives until its lease expires. */
function createMachine(agents: readonly AgentDefinition[]) {
  const clock: TestClock = createTestClock()
  const state: State = createMemoryState({ clock })
  return {
    clock,
    state,
    async start(
      id: string,
      script: Script,
      box: ToolBox,
      service: ToolsServiceOptions = {},
    ): Promise<Process> {
      await state.leases.beat(id, clock.now() + 15_000)
      const models = scriptModels(script)
      const house = await openHouse({
        agents,
        models,
        state,
        servers: [box.definition],
        owner: { id },
        testClock: clock,
        service,
      })
      return { house, models }
    },
    /** Nothing more is heard of a process. */
    die: () => clock.advance(20_000),
    history: async () => {
      const [thread] = (await state.threads.list({ id: 'local' })).entries.toReversed()
      const items = (await state.threads.items({ id: 'local' }, thread?.id ?? '')) ?? []
      return items.map(({ value }) => {
        const content = (value.content ?? []) as { type: string; text?: string; name?: string }[]
        return [value.type, ...content.map(({ text, name }) => text ?? name)].join(': ')
      })
    },
  }
}

/** Writes a, waits, writes b. */
const plan: Script = (request) => {
  const results = lastResults(request)
  const count = request.messages.filter(({ role }) => role === 'tool').length
  if (lastSaid(request) !== 'go') return `then: ${lastSaid(request)}`
  if (count === 0) return { text: 'First. ', calls: [['write', { text: 'a' }]] }
  if (count === 1) return { calls: [['wait', {}]] }
  if (count === 2) return { text: results?.join() ?? '', calls: [['write', { text: 'b' }]] }
  return 'All done.'
}

const main = { name: 'main', tools: ['box'] }

test('a killed turn is taken up: what was done is not done again, what was in flight is told as interrupted', async () => {
  const machine = createMachine([main])
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const first = await machine.start('first', plan, box)
  const client = await first.house.client()
  const lost = client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  await gate.arrived
  expect(await lost).toContain('The agent is at work')
  await machine.die()

  const second = await machine.start('second', plan, box)
  expect(await second.house.agents.resume()).toBe(1)
  expect(await second.house.agents.resume()).toBe(0)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  expect(box.made).toEqual(['write a', 'wait', 'write b'])
  expect(second.models.requests).toHaveLength(2)
  expect(await machine.history()).toMatchInlineSnapshot(`
    [
      "user: go",
      "assistant: First. : write",
      "result: wrote a",
      "assistant: wait",
      "result: The call was interrupted when the process that made it ended. Nobody knows whether it was done: find out before you make it again.",
      "assistant: failed: The call was interrupted when the process that made it ended. Nobody knows whether it was done: find out before you make it again.: write",
      "result: wrote b",
      "assistant: All done.",
      "end",
    ]
  `)

  // The first process wakes up: it has nothing more to say.
  const before = await machine.history()
  gate.open()
  await settle()
  expect(await machine.history()).toEqual(before)
  expect(first.models.requests).toHaveLength(2)
  await second.house[Symbol.asyncDispose]()
})

test('thousands of turns that nobody can take up hide none that somebody can', async () => {
  const machine = createMachine([main])
  const { journal, leases } = machine.state
  await leases.beat('dead', machine.clock.now() + 15_000)
  for (let index = 0; index < 2500; index += 1) {
    await journal.run(`of another version ${index}`, { id: 'dead' }, { kind: 'agent', input: {} })
  }
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const first = await machine.start('first', plan, box)
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  await gate.arrived
  await machine.die()

  const second = await machine.start('second', plan, box)
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  await second.house[Symbol.asyncDispose]()
  gate.open()
  await first.house[Symbol.asyncDispose]()
})

test('a question to the model that was cut off is asked again', async () => {
  const machine = createMachine([main])
  const gate = createGate<string>()
  const box = createToolBox()
  const first = await machine.start('first', () => gate.wait(), box)
  const client = await first.house.client()
  await client.say('main', 'hello', { _meta: { [asyncMeta]: true } })
  await gate.arrived
  await machine.die()
  const second = await machine.start('second', () => 'hello yourself', box)
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  expect(await machine.history()).toEqual(['user: hello', 'assistant: hello yourself', 'end'])
})

test('chats that waited in line are taken up in their order', async () => {
  const machine = createMachine([main])
  const gate = createGate<string>()
  const box = createToolBox()
  const first = await machine.start('first', () => gate.wait(), box)
  const client = await first.house.client()
  const later = { _meta: { [asyncMeta]: true } }
  await client.say('main', 'one', later)
  await gate.arrived
  await machine.clock.advance(1)
  await client.say('main', 'two', later)
  await machine.die()
  const second = await machine.start('second', (request) => `re: ${lastSaid(request)}`, box)
  expect(await second.house.agents.resume()).toBe(2)
  await expect.poll(async () => (await machine.history()).length).toBe(6)
  expect(await machine.history()).toEqual([
    'user: one',
    'assistant: re: one',
    'end',
    'user: two',
    'assistant: re: two',
    'end',
  ])
})

test('an agent that waited for another goes on with what that one had done', async () => {
  const boss = { name: 'boss', model: 'boss', tools: ['main'] }
  const machine = createMachine([boss, main])
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const script: Script = (request, about) => {
    if (about.name !== 'boss') return plan(request, about)
    const results = lastResults(request)
    return results ? `heard ${results.join()}` : { calls: [['chat-with-main', { prompt: 'go' }]] }
  }
  const first = await machine.start('first', script, box)
  const client = await first.house.client()
  const { _meta } = await client.chat('boss', 'please', { _meta: { [asyncMeta]: true } })
  const thread = (_meta as Record<string, unknown>)[threadMeta]
  await gate.arrived
  await machine.die()
  const second = await machine.start('second', script, box)
  expect(await second.house.agents.resume()).toBe(2)
  const again = await second.house.client()
  const history = () => again.read(`chat://threads/${thread}/history`)
  await expect.poll(async () => (await history()).at(-1)?.type).toBe('end')
  expect(box.made).toEqual(['write a', 'wait', 'write b'])
  const said = (await history()).findLast(({ type }) => type === 'assistant')
  expect(JSON.stringify(said)).toContain('heard All done.')
  expect((await machine.state.threads.list({ id: 'local' })).entries).toHaveLength(2)
})

test('a process that ends lets its turns go, for another to go on at once', async () => {
  const machine = createMachine([main])
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const first = await machine.start('first', plan, box)
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  await gate.arrived
  await first.house[Symbol.asyncDispose]()
  const second = await machine.start('second', plan, box)
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  expect(box.made).toEqual(['write a', 'wait', 'write b'])
})

test('a session that goes on in another process sits in the same thread: its own, or where it had moved', async () => {
  const machine = createMachine([main])
  const box = createToolBox()
  const said = (id: string) => ({ id, memory: createSessionMemory() })
  const own = said('own')
  const moved = said('moved')
  const script: Script = (request) => `re: ${lastSaid(request)}`
  const first = await machine.start('first', script, box)
  const begun = await (await first.house.client({ again: own })).chat('main', 'one')
  const thread = String((begun._meta as Record<string, unknown>)[threadMeta])
  const mover = await first.house.client({ again: moved })
  await mover.chat('main', 'two')
  await mover.chat('main', 'three', { thread })
  await machine.die()

  const second = await machine.start('second', script, box)
  const history = async (again: typeof own) => {
    const client = await second.house.client({ again })
    const items = await client.read('chat://history')
    return items.filter(({ type }) => type === 'user').map(({ content }) => content)
  }
  const inThread = [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'three' }]]
  expect(await history(own)).toEqual(inThread)
  expect(await history(moved)).toEqual(inThread)
  expect(await history(said('another'))).toEqual([])
})

test('a turn of an agent that is gone waits, and somebody is told', async () => {
  const machine = createMachine([main])
  const gate = createGate<string>()
  const first = await machine.start('first', () => gate.wait(), createToolBox())
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  await machine.die()
  const models = scriptModels(() => 'x')
  const { state, clock: testClock } = machine
  await state.leases.beat('second', testClock.now() + 15_000)
  const owner = { id: 'second' }
  await using second = await openHouse({ agents: [], models, state, owner, testClock })
  expect(await second.agents.resume()).toBe(0)
  expect(await second.agents.resume()).toBe(0)
  expect(second.problems).toEqual([
    expect.stringMatching(/^The turn \S+ waits: there is no agent "main" any more\.$/),
  ])
})

test('a question goes on after a restart, and one that was answered meanwhile is not asked again', async () => {
  const machine = createMachine([main])
  const box = createToolBox()
  const script: Script = (request) => lastResults(request)?.join() ?? { calls: [['ask', {}]] }
  const first = await machine.start('first', script, box)
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  const open = async () => (await machine.state.questions.list({ state: 'open' })).entries
  await expect.poll(async () => (await open()).length).toBe(1)
  await machine.die()
  const second = await machine.start('second', script, box)
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(() => box.made).toEqual(['ask', 'ask'])
  await settle()
  const [question, ...others] = await open()
  expect(others).toEqual([])
  const answer = { action: 'accept', content: { colour: 'blue' } }
  expect(await second.house.agents.answer({ id: 'local' }, question?.id ?? '', answer)).toBe(true)
  expect(await second.house.agents.answer({ id: 'local' }, question?.id ?? '', answer)).toBe(false)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  expect(await machine.history()).toContain('assistant: accept blue')
})

test('a question stays open when its process ends by itself, and is answered in the next one', async () => {
  const machine = createMachine([main])
  const box = createToolBox()
  const script: Script = (request) => lastResults(request)?.join() ?? { calls: [['ask', {}]] }
  const first = await machine.start('first', script, box)
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  const open = async () => (await machine.state.questions.list({ state: 'open' })).entries
  await expect.poll(async () => (await open()).length).toBe(1)
  await first.house[Symbol.asyncDispose]()
  const [question] = await open()
  const second = await machine.start('second', script, box)
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(() => box.made).toEqual(['ask', 'ask'])
  await settle()
  const answer = { action: 'accept', content: { colour: 'blue' } }
  expect(await second.house.agents.answer({ id: 'local' }, question?.id ?? '', answer)).toBe(true)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  expect(await machine.history()).toContain('assistant: accept blue')
})

test('a call that waited for an approval waits again after a restart, and is made once', async () => {
  const machine = createMachine([main])
  const box = createToolBox()
  const script: Script = (request) =>
    lastResults(request)?.join() ?? { calls: [['write', { text: 'a' }]] }
  const asked: ApprovalRequest[] = []
  const gate = createGate()
  const asking = (approval: () => Promise<unknown>): ToolsServiceOptions => ({
    authorize: ({ name }) => ({ decision: name === 'write' ? 'ask' : 'allow' }),
    approve: async (request) => {
      asked.push(request)
      await approval()
      return { approved: true }
    },
  })
  const first = await machine.start('first', script, box, asking(gate.wait))
  const client = await first.house.client()
  await client.say('main', 'go', { _meta: { [asyncMeta]: true } })
  await gate.arrived
  await machine.die()
  const second = await machine.start('second', script, box, asking(settle))
  expect(await second.house.agents.resume()).toBe(1)
  await expect.poll(async () => (await machine.history()).at(-1)).toBe('end')
  // The first process wakes up, and must not make it too.
  gate.open()
  await settle()
  expect(box.made).toEqual(['write a'])
  expect(await machine.history()).toContain('assistant: wrote a')
  const steps = asked.map(({ call }) => call.step)
  expect(steps).toEqual([expect.stringMatching(/\.call-1:0$/), steps[0]])
})
