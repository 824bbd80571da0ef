import { compileHooks, type HookDefinition, parseHookKey, parseHookTarget } from '@mobius-mcp/hooks'
import { defineServer, type JsonObject, tool, uncheckedSchema } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { openHouse } from './support/house.ts'
import { callsWhatIsSaid, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

type Answer = (input: JsonObject) => JsonObject

/** A server whose one tool answers what a hook asks. */
function createPolicy(answer: Answer) {
  const seen: JsonObject[] = []
  const definition = defineServer({
    name: 'policy',
    version: '1',
    tools: {
      look: tool({
        description: 'Looks.',
        input: uncheckedSchema({ type: 'object' }),
        run: (input) => {
          seen.push(input)
          return { content: [], structuredContent: answer(input) }
        },
      }),
    },
  })
  return { definition, seen }
}

const hook = (key: string): HookDefinition => ({
  id: key,
  ...parseHookKey(key),
  ...parseHookTarget('policy/look'),
})

async function openHooked(points: readonly string[], answer: Answer) {
  const models = scriptModels((request, about) =>
    lastSaid(request).startsWith('add')
      ? callsWhatIsSaid(request, about)
      : `re: ${lastSaid(request)}`,
  )
  const box = createToolBox()
  const policy = createPolicy(answer)
  const house = await openHouse({
    agents: [{ name: 'main', tools: ['box/add'], instructions: 'Be brief.' }],
    models,
    servers: [box.definition, policy.definition],
    hooks: compileHooks(points.map(hook)),
  })
  return { house, models, policy, client: await house.client() }
}

test('the points of a turn are fired, with what they are about', async () => {
  const points = ['session', 'config', 'request', 'response']
  const { policy, client, house } = await openHooked(points, () => ({}))
  await client.say('main', 'add {"a":1,"b":2}')
  await client.say('main', 'hello')
  expect(policy.seen.map(({ point, direction }) => `${point} ${direction}`)).toEqual([
    'session request',
    'config request',
    'request request',
    'response response',
    'request request',
    'response response',
    'config request',
    'request request',
    'response response',
  ])
  expect(policy.seen[0]).toMatchObject({ server: 'main', message: { params: { agent: 'main' } } })
  expect(policy.seen[2]).toMatchObject({ message: { params: { instructions: 'Be brief.' } } })
  const event = house.events.find(({ server }) => server === 'policy')
  expect(event?.origin).toMatchObject({ kind: 'hook', cause: { kind: 'agent', name: 'main' } })
})

test('a hook changes the configuration of a turn, the question and the answer', async () => {
  const { models, client } = await openHooked(['config', 'request', 'response'], ({ point }) => {
    if (point === 'config') return { patch: { params: { instructions: 'Be long.', tools: [] } } }
    if (point === 'response') {
      return { patch: { result: { content: [{ type: 'text', text: 'censored' }] } } }
    }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'rather this' }] }]
    return { patch: { params: { messages } } }
  })
  expect(await client.say('main', 'hello')).toBe('censored')
  expect(models.requests[0]).toMatchObject({ instructions: 'Be long.' })
  expect(models.requests[0]?.tools?.map(({ name }) => name)).toEqual(['read_resource'])
  expect(lastSaid(models.requests[0] ?? { messages: [] })).toBe('rather this')
  expect(JSON.stringify(await client.read('chat://history'))).toContain('censored')
})

test.each([
  ['session', 0],
  ['config', 0],
  ['request', 0],
  ['response', 1],
])('a hook of %s says no, and the turn ends with its reason', async (point, asked) => {
  const { models, client } = await openHooked([point], () => ({
    decision: 'block',
    reason: 'not on Sundays',
  }))
  expect(await client.say('main', 'hello')).toBe('failed: [Refused: not on Sundays]')
  expect(models.requests).toHaveLength(asked)
  expect((await client.read('chat://history')).map(({ type }) => type)).toEqual(['user', 'end'])
})

test('what a hook changes or blocks was shown to nobody before', async () => {
  const { client } = await openHooked(['response'], ({ message }) => {
    const said = JSON.stringify(message)
    if (said.includes('worse')) return { decision: 'block', reason: 'no' }
    if (!said.includes('bad')) return {}
    return { patch: { result: { content: [{ type: 'text', text: 'good' }] } } }
  })
  for (const said of ['fine', 'bad', 'worse']) await client.say('main', said)
  const messages = client.progress.flatMap(({ message }) => (message ? [message] : []))
  expect(messages).toEqual(['re: ', 'fine', 'good'])
  expect(JSON.stringify(client.progress)).not.toContain('re: bad')
  const history = (await client.read('chat://history')).filter(({ type }) => type === 'assistant')
  expect(history.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual([
    're: fine',
    'good',
  ])
})

test('a structured answer that a hook changed is checked as it is then', async () => {
  const models = scriptModels(() => ({ text: '{"sum":3}', output: { sum: 3 } }))
  const policy = createPolicy(() => ({
    patch: { result: { content: [{ type: 'text', text: '{"sum":4}' }] } },
  }))
  const output = { schema: { type: 'object', properties: { sum: { type: 'number' } } } }
  await using house = await openHouse({
    agents: [{ name: 'main', output }],
    models,
    servers: [policy.definition],
    hooks: compileHooks([hook('response')]),
  })
  await using client = await house.client()
  expect((await client.chat('main', 'go')).structuredContent).toEqual({ sum: 4 })
})
