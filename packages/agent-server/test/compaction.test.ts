import type { ModelRequest } from '@mobius-mcp/models'
import { expect, test } from 'vitest'
import { estimateTokens } from '../src/estimate-tokens.ts'
import { openHouse } from './support/house.ts'
import { lastResults, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const isSummary = ({ instructions = '' }: ModelRequest) => instructions.startsWith('You summarise')
const firstText = ({ messages }: ModelRequest) => {
  const [part] = messages[0]?.content ?? []
  return part?.type === 'text' ? part.text : ''
}

test('what is old is summarised; the last turns and the open one stay word for word', async () => {
  const models = scriptModels((request) =>
    isSummary(request) ? 'THE SUMMARY' : `re: ${lastSaid(request).slice(0, 8)}`,
  )
  const main = { name: 'main', contextWindow: 2000 }
  await using house = await openHouse({ agents: [main], models })
  await using client = await house.client()
  const long = (name: string) => `${name}: ${'x'.repeat(1200)}`
  for (const name of ['one', 'two', 'three', 'four', 'five']) await client.say('main', long(name))
  const summaries = models.requests.filter(isSummary)
  expect(firstText(summaries[0] ?? { messages: [] })).toContain('[user]: one: xxx')
  const last = models.requests.at(-1) ?? { messages: [] }
  expect(firstText(last)).toContain('THE SUMMARY')
  expect(last.messages.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(lastSaid(last)).toBe(long('five'))
  expect(JSON.stringify(last.messages)).toContain(long('four'))
  const history = await client.read('chat://history')
  expect(history.filter(({ type }) => type === 'user')).toHaveLength(5)
  expect(history.filter(({ type }) => type === 'summary')).toMatchObject([{ text: 'THE SUMMARY' }])
})

test('in the middle of a turn its question and its results are not summarised', async () => {
  const models = scriptModels((request) => {
    if (isSummary(request)) return 'THE SUMMARY'
    if (lastSaid(request).startsWith('before')) return 'noted'
    return lastResults(request) ? 'done' : { calls: [['large', {}]] }
  })
  const box = createToolBox()
  const main = { name: 'main', tools: ['box'], contextWindow: 8000 }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  await client.say('main', `before ${'x'.repeat(3000)}`)
  expect(await client.say('main', 'the question')).toBe('done')
  const last = models.requests.at(-1) ?? { messages: [] }
  expect(models.requests.filter(isSummary)).toHaveLength(1)
  expect(firstText(last)).toContain('THE SUMMARY')
  expect(last.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool'])
  expect(lastSaid(last)).toBe('the question')
})

test('a conversation that is too long for the summary itself is summarised in parts', async () => {
  const models = scriptModels((request) =>
    isSummary(request) ? 'IN SHORT' : `re: ${lastSaid(request).slice(0, 8)}`,
  )
  const agents = [
    { name: 'main', contextWindow: 1_000_000 },
    { name: 'small', contextWindow: 4000 },
  ]
  const first = await openHouse({ agents: agents.slice(0, 1), models })
  const client = await first.client()
  for (let round = 0; round < 10; round += 1)
    await client.say('main', `${round} ${'x'.repeat(4000)}`)
  const [thread] = (await first.state.threads.list({ id: 'local' })).entries
  const small = [{ name: 'main', contextWindow: 4000 }]
  await using second = await openHouse({ agents: small, models, state: first.state })
  await using again = await second.client()
  await again.say('main', 'and?', { thread: thread?.id })
  const summaries = models.requests.filter(isSummary)
  expect(summaries.length).toBeGreaterThan(3)
  for (const request of summaries) expect(estimateTokens(request.messages)).toBeLessThan(4000)
  expect(firstText(models.requests.at(-1) ?? { messages: [] })).toContain('IN SHORT')
})

test('a failed summary changes nothing; a model that says so itself is given less', async () => {
  let isTooLong = true
  const models = scriptModels((request) => {
    if (isSummary(request)) return 'IN SHORT'
    if (lastSaid(request) !== 'two' || !isTooLong) return 'fine'
    isTooLong = false
    return { fails: 'CONTEXT_TOO_LONG' }
  })
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  await client.say('main', 'one')
  expect(await client.say('main', 'two')).toBe('fine')
  expect(firstText(models.requests.at(-1) ?? { messages: [] })).toContain('IN SHORT')
})

test('attachments count', () => {
  const text = { role: 'user' as const, content: [{ type: 'text' as const, text: 'look' }] }
  const image = { type: 'file' as const, mediaType: 'image/png', data: 'aaaa' }
  const pdf = { type: 'file' as const, mediaType: 'application/pdf', data: 'a'.repeat(16_000) }
  const withImage = { role: 'user' as const, content: [...text.content, image] }
  const withDocument = { role: 'user' as const, content: [...text.content, pdf] }
  expect(estimateTokens([text])).toBe(2)
  expect(estimateTokens([withImage])).toBe(1602)
  expect(estimateTokens([withDocument])).toBe(1002)
})
