import { defineServer, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, openHouse, settle, textOf } from './support/house.ts'
import { callsWhatIsSaid, lastResults, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const main = { name: 'main', tools: ['box'] }

describe('what a model does wrong is answered to it', () => {
  test.each([
    ['an unknown tool', 'fly', 'there is no tool "fly"'],
    ['bad arguments', 'add {"a":"x","b":1}', 'a: '],
    ['a tool that fails', 'fail', 'failed: it broke'],
    ['a resource without URI', 'read_resource', 'Expected "uri"'],
  ])('%s', async (_name, said, expected) => {
    const models = scriptModels(callsWhatIsSaid)
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    const answer = await client.say('main', said)
    expect(answer).toMatch(/^It said: failed: /)
    expect(answer).toContain(expected)
  })

  test('arguments that are no JSON, flagged as a failure; the other calls are made', async () => {
    const models = scriptModels((request) => {
      const results = lastResults(request)
      return results ? results.join(' | ') : { calls: [['write', {}]], invalid: '{"text": ' }
    })
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    expect(await client.say('main', 'go')).toMatchInlineSnapshot(
      `"failed: The call was not made: its arguments are no JSON object. It is no JSON. Received: {"text": "`,
    )
    expect(box.made).toEqual([])
  })

  test('an unknown tool among others: those are made, and all answers keep the order of the calls', async () => {
    const models = scriptModels((request) => {
      const results = lastResults(request)
      if (results) return results.join(' | ')
      return {
        calls: [
          ['write', { text: 'a' }],
          ['fly', {}],
          ['write', { text: 'b' }],
        ],
      }
    })
    const box = createToolBox()
    await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
    await using client = await house.client()
    expect(await client.say('main', 'go')).toBe(
      'wrote a | failed: The call was not made: there is no tool "fly". | wrote b',
    )
  })
})

/** Tools that tell when they begin and end. */
function createSlowServer(readOnly: boolean) {
  const log: string[] = []
  const gates = { a: createGate(), b: createGate() }
  const slow = (name: 'a' | 'b') =>
    tool({
      description: 'Slow.',
      annotations: { readOnlyHint: readOnly },
      run: async () => {
        log.push(`${name} begins`)
        await gates[name].wait()
        log.push(`${name} ends`)
        return name
      },
    })
  const definition = defineServer({
    name: 'slow',
    version: '1',
    tools: { a: slow('a'), b: slow('b') },
  })
  return { definition, log, gates }
}

const both = scriptModels((request) => {
  const results = lastResults(request)
  return results
    ? results.join(' ')
    : {
        calls: [
          ['a', {}],
          ['b', {}],
        ],
      }
})

test('calls that only read are made side by side, and keep their order', async () => {
  const slow = createSlowServer(true)
  const agents = [{ name: 'main', tools: ['slow'] }]
  await using house = await openHouse({ agents, models: both, servers: [slow.definition] })
  await using client = await house.client()
  const chat = client.say('main', 'go')
  await slow.gates.a.arrived
  await slow.gates.b.arrived
  slow.gates.b.open()
  slow.gates.a.open()
  expect(await chat).toBe('a b')
  expect(slow.log).toEqual(['a begins', 'b begins', 'b ends', 'a ends'])
})

test('all other calls are made one after the other', async () => {
  const slow = createSlowServer(false)
  slow.gates.a.open()
  slow.gates.b.open()
  const agents = [{ name: 'main', tools: ['slow'] }]
  await using house = await openHouse({ agents, models: both, servers: [slow.definition] })
  await using client = await house.client()
  expect(await client.say('main', 'go')).toBe('a b')
  expect(slow.log).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('two tools of one name are told apart', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  const other = { ...createToolBox().definition, name: 'other' }
  const agents = [{ name: 'main', tools: ['box/add', 'other/add', 'other/write:note'] }]
  await using house = await openHouse({ agents, models, servers: [box.definition, other] })
  await using client = await house.client()
  expect(await client.say('main', 'other__add {"a":1,"b":1}')).toBe('It said: 2')
  expect(models.requests[0]?.tools?.map(({ name, target }) => `${name} ${target}`)).toEqual([
    'box__add box/add',
    'other__add other/add',
    'note other/write',
    'read_resource undefined',
  ])
})

test('a result that is too large can be read whole, in parts that end with whole characters', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const answer = await client.say('main', 'large')
  const uri = /read_resource \{"uri": "([^"]+)"\}/.exec(answer)?.[1] ?? ''
  expect(answer).not.toContain('the end')
  expect(answer).not.toContain('\uFFFD')
  expect(Buffer.byteLength(answer)).toBeLessThan(52_000)
  const [whole] = await client.read(uri)
  expect(whole?.text).toBe(`${'ä'.repeat(40_000)}the end`)
  const first = await client.say('main', `read_resource {"uri":"${uri}"}`)
  const offset = /"offset": (\d+)/.exec(first)?.[1]
  expect(offset).toBe('25600')
  const rest = await client.say('main', `read_resource {"uri":"${uri}","offset":${offset}}`)
  expect(rest).toBe(`It said: ${'ä'.repeat(14_400)}the end`)
  const ann = await house.client({ principal: { id: 'ann', scopes: [] } })
  await expect(ann.read(uri)).rejects.toThrow('not found')
})

const output = {
  schema: {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
    additionalProperties: false,
  },
}

test('an answer of the wrong shape is sent back once', async () => {
  const models = scriptModels(({ messages }) =>
    messages.length === 1 ? '{"sum":"three"}' : '```json\n{"sum":3}\n```',
  )
  await using house = await openHouse({ agents: [{ name: 'main', output }], models })
  await using client = await house.client()
  const result = await client.chat('main', '1 + 2')
  expect(result.structuredContent).toEqual({ sum: 3 })
  expect(lastSaid(models.requests[1] ?? { messages: [] })).toMatchInlineSnapshot(
    `"Your answer does not have the shape that it must have: sum: Invalid input: expected number, received string. Answer once more, with nothing but JSON of that shape."`,
  )
})

test('an answer that is of the wrong shape twice is a failure', async () => {
  const models = scriptModels(() => 'three')
  await using house = await openHouse({ agents: [{ name: 'main', output }], models })
  await using client = await house.client()
  expect(textOf(await client.chat('main', '1 + 2'))).toMatchInlineSnapshot(`
    "failed: three
    [Failed: the answer has not the shape that it must have: it is no JSON. What was done until then is kept.]"
  `)
  expect(models.requests).toHaveLength(2)
})

test('a server that cannot be reached is named to the model, and the others are there', async () => {
  const models = scriptModels((request) => request.instructions ?? 'none')
  const box = createToolBox()
  const agents = [{ name: 'main', tools: ['box', 'gone'] }]
  const service = {
    connect: () => Promise.reject(new Error('it is asleep')),
  }
  await using house = await openHouse({ agents, models, service, servers: [box.definition] })
  house.service.apply({ servers: [{ name: 'gone', identity: 'gone', connection: {} }] })
  await using client = await house.client()
  const said = client.say('main', 'go')
  await settle()
  await house.clock.advance(10_000)
  expect(await said).toContain('it is asleep')
})
