import { writeFile } from 'node:fs/promises'
import { createModels } from '@mobius-mcp/models'
import type { JsonObject } from '@mobius-mcp/protocol'
import { systemClock } from '@mobius-mcp/protocol'
import { afterAll, describe, expect, test } from 'vitest'
import { eventMeta } from '../src/index.ts'
import { openHouse } from './support/house.ts'
import { openSdkClient } from './support/sdk-client.ts'
import { createToolBox } from './support/tools.ts'

/** See local-model/README.md. */
const { MOBIUS_LOCAL_MODEL: baseUrl, MOBIUS_LOCAL_MODEL_TRANSCRIPT: transcriptFile } = process.env
const where = 'a local model behind MOBIUS_LOCAL_MODEL, e.g. http://127.0.0.1:8091/v1'

describe.skipIf(!baseUrl)(where, { timeout: 300_000 }, () => {
  const transcript: string[] = []

  test('chats with an official client, piece by piece', async () => {
    await using chat = await openChat('You are kind, and brief.')
    const answer = await chat.say('Say hello to Ada.')
    const texts = answer.events.filter(({ type }) => type === 'text-delta')
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.map(({ text }) => text).join('')).toBe(answer.text)
    expect(answer.items.map(({ type }) => type)).toEqual(['user', 'assistant', 'end'])
    const next = await chat.say('And to Grace.')
    expect(next.text).not.toBe('')
    expect(next.items.map(({ type }) => type)).toEqual(['user', 'assistant', 'end'])
  })

  test('calls a tool, which is run, and is asked again with what it came to', async () => {
    await using chat = await openChat('You call tools.')
    const args = { a: 2, b: 3 }
    const call = JSON.stringify({ name: 'add', arguments: args })
    // Small models call what is put into their mouth. Those who know better make the same call.
    const answer = await chat.say(`Reply only with <tool_call>\n${call}\n</tool_call>`)
    expect(chat.made[0]).toBe('add 2 3')
    expect(answer.events).toContainEqual(
      expect.objectContaining({ type: 'tool-call', name: 'add', arguments: args }),
    )
    const [, asked, result, ...rest] = answer.items
    expect(asked?.content).toContainEqual(expect.objectContaining({ type: 'tool-call' }))
    expect(result).toMatchObject({ type: 'result', content: [{ type: 'text', text: '5' }] })
    expect(rest[0]).toMatchObject({ type: 'assistant' })
  })

  afterAll(async () => {
    if (transcriptFile) await writeFile(transcriptFile, `${transcript.join('\n')}\n`)
  })

  /** An agent on the model, behind HTTP, and an official client that chats with it. */
  async function openChat(instructions: string) {
    await using opening = new AsyncDisposableStack()
    const providers = { local: { dialect: 'openai-chat', baseUrl: baseUrl ?? '' } } as const
    const model = `local/${await modelAt(baseUrl ?? '')}`
    const box = createToolBox()
    const asked = { temperature: 0, maxOutputTokens: 60, limits: { turns: 2 } }
    const house = opening.use(
      await openHouse({
        agents: [{ name: 'main', model, instructions, tools: ['box/add'], ...asked }],
        models: createModels({ providers, aliases: { default: model, mini: model } }),
        servers: [box.definition],
        clock: systemClock,
      }),
    )
    const client = await openSdkClient(house.published, opening)
    const closing = opening.move()
    let read = 0
    return {
      made: box.made,
      /** What was said, what came meanwhile, and what the thread has since. */
      async say(prompt: string) {
        const events: JsonObject[] = []
        const params = { name: 'chat-with-main', arguments: { prompt } }
        const { content } = await client.callTool(params, undefined, {
          timeout: 300_000,
          onprogress: (progress) => {
            const { _meta: meta } = progress as { _meta?: Record<string, { event: JsonObject }> }
            const told = meta?.[eventMeta]
            if (told) events.push(told.event)
          },
        })
        const { contents } = await client.readResource({ uri: 'chat://history' })
        const items = contents
          .map((each) => JSON.parse('text' in each ? each.text : '') as JsonObject)
          .slice(read)
        read += items.length
        const [said] = content as { text: string }[]
        transcript.push(...describeChat({ instructions, prompt, events, items }))
        return { text: said?.text ?? '', events, items }
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }
})

/** The first model that the server says it has. */
async function modelAt(url: string): Promise<string> {
  const { data } = (await (await fetch(`${url}/models`)).json()) as { data: { id: string }[] }
  if (!data[0]) throw new Error(`There is no model at ${url}/models`)
  return data[0].id
}

interface Chat {
  readonly instructions: string
  readonly prompt: string
  readonly events: readonly JsonObject[]
  readonly items: readonly JsonObject[]
}

function describeChat({ instructions, prompt, events, items }: Chat): string[] {
  const lines = (values: readonly JsonObject[]) => values.map((value) => JSON.stringify(value))
  return [
    `## ${prompt.replaceAll('\n', ' ')}`,
    '',
    `To an agent with the instructions “${instructions}”. While it answered, the client was told:`,
    '',
    ...['```json', ...lines(events), '```', ''],
    'What the thread has since, at `chat://history`:',
    '',
    ...['```json', ...lines(items), '```', ''],
  ]
}
