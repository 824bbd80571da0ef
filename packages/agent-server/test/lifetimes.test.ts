import { defineServer, tool } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { openHouse, settle } from './support/house.ts'
import { lastResults, lastSaid, scriptModels } from './support/scripted-model.ts'

/** A server that counts its calls, built anew for each root session. */
function createCounter() {
  const seen = { alive: 0 }
  const definition = defineServer({
    name: 'counter',
    visibility: 'agents',
    version: '1',
    setup({ closing }) {
      let count = 0
      seen.alive += 1
      closing.addEventListener('abort', () => {
        seen.alive -= 1
      })
      return {
        tools: {
          count: tool({
            description: 'Counts.',
            run: () => {
              count += 1
              return `${count}`
            },
          }),
        },
      }
    },
  })
  return { definition, seen }
}

const models = () =>
  scriptModels((request, { name }) => {
    const results = lastResults(request)
    if (results) return results[0]?.split('\n')[0] ?? ''
    return name === 'boss'
      ? { calls: [['chat-with-main', { prompt: lastSaid(request) }]] }
      : { calls: [['count', {}]] }
  })

const main = { name: 'main', tools: ['counter'] }

test('servers live with the thread, whoever is there, and are let go when it rests', async () => {
  const { definition, seen } = createCounter()
  await using house = await openHouse({ agents: [main], models: models(), servers: [definition] })
  const client = await house.client()
  expect([await client.say('main', 'go'), await client.say('main', 'go')]).toEqual(['1', '2'])
  await using other = await house.client()
  expect(await other.say('main', 'go')).toBe('1')
  const { entries } = await house.state.threads.list({ id: 'local' })
  const first = entries.find(({ last }) => last === 10)
  await client.session.close()
  expect(await other.say('main', 'go', { thread: first?.id })).toBe('3')
  expect(seen.alive).toBe(2)
  await house.clock.advance(30 * 60_000)
  expect(seen.alive).toBe(0)
  expect(await other.say('main', 'go', { thread: first?.id })).toBe('1')
})

test('what a sub-agent used is let go when it has answered', async () => {
  const { definition, seen } = createCounter()
  const agents = [{ name: 'boss', model: 'boss', tools: ['main'] }, main]
  await using house = await openHouse({ agents, models: models(), servers: [definition] })
  await using client = await house.client()
  for (let round = 0; round < 5; round += 1) expect(await client.say('boss', 'go')).toBe('1')
  await house.clock.advance(1)
  await settle()
  expect(seen.alive).toBe(0)
})

test('a thread that somebody follows does not rest', async () => {
  const { definition, seen } = createCounter()
  await using house = await openHouse({ agents: [main], models: models(), servers: [definition] })
  const client = await house.client()
  await client.say('main', 'go')
  await client.session.request('resources/subscribe', { uri: 'chat://history' })
  await house.clock.advance(60 * 60_000)
  expect(seen.alive).toBe(1)
  await client.session.close()
  await settle()
  await house.clock.advance(60 * 60_000)
  expect(seen.alive).toBe(0)
})
