import { createModels } from '@mobius-mcp/models'
import { defineServer, type JsonObject, systemClock, tool } from '@mobius-mcp/protocol'
import { dialects } from '@mobius-mcp/testing/models/dialects.ts'
import { type Exchange, openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openHouse } from './support/house.ts'

// The same loop over every vendor's way to say the same.
describe.each(dialects)('$dialect', ({ dialect, model, basePath, ...says }) => {
  /** An agent whose model gives these answers, one after the other. */
  async function openChat(exchanges: readonly Exchange[]) {
    await using opening = new AsyncDisposableStack()
    const vendor = opening.use(await openLoopback(exchanges))
    const cities: string[] = []
    const weather = defineServer({
      name: 'weather',
      version: '1',
      tools: {
        get_weather: tool({
          description: 'The weather of a city.',
          input: z.object({ city: z.string() }),
          run({ city }) {
            cities.push(city)
            return `sunny in ${city}`
          },
        }),
      },
    })
    const name = `vendor/${model}`
    const providers = { vendor: { dialect, baseUrl: `${vendor.url}${basePath}` } }
    const house = opening.use(
      await openHouse({
        // Without `mini` nobody asks for a title meanwhile.
        agents: [{ name: 'main', model: name, tools: ['weather'] }],
        models: createModels({ providers, retry: { attempts: 1 } }),
        servers: [weather],
        clock: systemClock,
      }),
    )
    const client = opening.use(await house.client())
    const closing = opening.move()
    return {
      cities,
      asked: vendor.received,
      say: (prompt: string) => client.say('main', prompt),
      history: () => client.read('chat://history'),
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }

  test('parallel calls are made, their results go back, and the answer is given', async () => {
    await using chat = await openChat([says.parallel, says.text])
    expect(await chat.say('How is the weather?')).toBe('Hello, world!')
    expect(chat.cities).toEqual(['Oslo', 'Rome'])
    const second = JSON.stringify(chat.asked[1]?.body)
    expect(second.indexOf('sunny in Oslo')).toBeGreaterThan(0)
    expect(second.indexOf('sunny in Rome')).toBeGreaterThan(second.indexOf('sunny in Oslo'))
    expect(typesOf(await chat.history())).toEqual([
      'user',
      'assistant',
      'result',
      'result',
      'assistant',
      'end',
    ])
  })

  test('what it thought stays in the thread, and goes back where the vendor wants it', async () => {
    await using chat = await openChat([says.reasoning, says.text])
    expect(await chat.say('What is it?')).toBe('42')
    expect(JSON.stringify(await chat.history())).toContain('Let me see.')
    expect(await chat.say('Why?')).toBe('Hello, world!')
    const second = JSON.stringify(chat.asked[1]?.body)
    expect(second).toContain('42')
    if (dialect !== 'openai-chat') expect(second).toContain('-signature')
  })

  test.each([
    ['an error in the stream', says.errorMidStream],
    ['a stream that breaks off', says.truncated],
    ['a malformed chunk', says.malformed],
  ])('%s ends the turn as a failure, and what had come is kept', async (_, exchange) => {
    await using chat = await openChat([exchange, says.text])
    expect(await chat.say('Hi')).toMatch(/^failed: Hel/)
    const items = await chat.history()
    expect(typesOf(items)).toEqual(['user', 'assistant', 'end'])
    expect(items[2]).toMatchObject({ reason: 'error' })
    expect(await chat.say('Again?')).toBe('Hello, world!')
  })

  test('calls of an answer that broke off are not made', async () => {
    const body = String(says.parallel.body)
    await using chat = await openChat([{ body: body.slice(0, body.lastIndexOf('Rome')) }])
    expect(await chat.say('How is the weather?')).toMatch(/^failed: /)
    expect(chat.cities).toEqual([])
  })

  test('an answer that was cut at the limit of tokens says so', async () => {
    await using chat = await openChat([says.cutOff])
    expect(await chat.say('Hi')).toMatch(/^Hel\n/)
    expect((await chat.history()).at(-1)).toMatchObject({ type: 'end', reason: 'limit' })
  })
})

function typesOf(items: readonly JsonObject[]): unknown[] {
  return items.map(({ type }) => type)
}
