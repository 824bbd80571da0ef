import { describe, expect, test } from 'vitest'
import { errorOf, openServer } from '../support/conversation.ts'

const prompts = {
  greet: {
    title: 'Greet',
    description: 'Greets somebody.',
    icons: [{ src: 'i' }],
    _meta: { ours: 1 },
    arguments: {
      name: { description: 'Whom', required: true, complete: () => ['Ann'] },
      tone: { title: 'Tone' },
    },
    get: ({ name, tone = 'warm' }: Record<string, string>) => `Greet ${name}, ${tone}.`,
  },
  talk: {
    get: async () => [
      { role: 'assistant' as const, content: { type: 'text' as const, text: 'Hello' } },
    ],
  },
  whole: { get: () => ({ messages: [], _meta: { ours: 1 } }) },
}

describe('prompts', () => {
  test('are listed with all that their author said, without its functions', async () => {
    await using talk = await openServer({ prompts })
    expect(await talk.client.request('prompts/list', {})).toEqual({
      prompts: [
        {
          name: 'greet',
          title: 'Greet',
          description: 'Greets somebody.',
          icons: [{ src: 'i' }],
          _meta: { ours: 1 },
          arguments: [
            { name: 'name', description: 'Whom', required: true },
            { name: 'tone', title: 'Tone' },
          ],
        },
        { name: 'talk' },
        { name: 'whole' },
      ],
    })
  })

  test('are given as a text, messages or a whole result', async () => {
    await using talk = await openServer({ prompts })
    const get = (name: string, args?: object) =>
      talk.client.request('prompts/get', { name, arguments: args })
    expect(await get('greet', { name: 'Bob' })).toEqual({
      description: 'Greets somebody.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Bob, warm.' } }],
    })
    expect(await get('talk')).toEqual({
      messages: [{ role: 'assistant', content: { type: 'text', text: 'Hello' } }],
    })
    expect(await get('whole')).toEqual({ messages: [], _meta: { ours: 1 } })
  })

  test('say what is missing or wrong', async () => {
    await using talk = await openServer({ prompts })
    const get = (name: unknown, args?: unknown) =>
      errorOf(talk.client.request('prompts/get', { name, arguments: args }))
    expect(await get('greet')).toMatchInlineSnapshot(
      `"-32602 Invalid arguments for prompt greet: missing name"`,
    )
    expect(await get('greet', { name: 7 })).toMatchInlineSnapshot(
      `"-32602 Invalid arguments for prompt greet: name: expected a string, received number"`,
    )
    expect(await get('greet', [])).toMatchInlineSnapshot(
      `"-32602 Invalid params: "arguments" must be an object, received []"`,
    )
    expect(await get(7)).toMatchInlineSnapshot(
      `"-32602 Invalid params: "name" must be a string, received 7"`,
    )
    expect(await get('none')).toBe('-32602 Unknown prompt: none')
    expect(await get('toString')).toBe('-32602 Unknown prompt: toString')
  })
})

describe('completion', () => {
  const words = Array.from({ length: 250 }, (_, i) => `w${i}`)
  const parts = {
    prompts: {
      p: {
        arguments: {
          word: { complete: (value: string) => words.filter((each) => each.startsWith(value)) },
          plain: {},
          other: {
            complete: async (_: string, context: { arguments: Record<string, string> }) => [
              `after ${context.arguments.word}`,
            ],
          },
        },
        get: () => '',
      },
    },
    resourceTemplates: {
      'test://{id}': { name: 't', complete: { id: () => ['1', '2'] }, read: () => '' },
    },
  }
  const prompt = { type: 'ref/prompt', name: 'p' }
  const template = { type: 'ref/resource', uri: 'test://{id}' }

  test('answers at most a hundred values, and says how many there are', async () => {
    await using talk = await openServer(parts)
    const complete = async (ref: object, name: string, value: string) =>
      (await talk.client.request('completion/complete', { ref, argument: { name, value } }))
        .completion
    expect(await complete(prompt, 'word', '')).toEqual({
      values: words.slice(0, 100),
      total: 250,
      hasMore: true,
    })
    expect(await complete(prompt, 'word', 'w24')).toEqual({
      values: ['w24', ...words.slice(240)],
      total: 11,
      hasMore: false,
    })
    expect(await complete(template, 'id', '')).toEqual({
      values: ['1', '2'],
      total: 2,
      hasMore: false,
    })
  })

  test('is told what was filled in before', async () => {
    await using talk = await openServer(parts)
    const argument = { name: 'other', value: '' }
    const context = { arguments: { word: 'w1' } }
    const complete = (given: object) =>
      talk.client.request('completion/complete', { ref: prompt, argument, ...given })
    expect(await complete({ context })).toMatchObject({ completion: { values: ['after w1'] } })
    expect(await complete({})).toMatchObject({ completion: { values: ['after undefined'] } })
  })

  test('is empty where nothing can be offered', async () => {
    await using talk = await openServer(parts)
    const none = { completion: { values: [], total: 0, hasMore: false } }
    for (const name of ['plain', 'unknown', 'constructor', '__proto__', 'toString']) {
      for (const ref of [prompt, template]) {
        const params = { ref, argument: { name, value: 'x' } }
        expect(await talk.client.request('completion/complete', params)).toEqual(none)
      }
    }
  })

  test('says what is wrong', async () => {
    await using talk = await openServer(parts)
    const complete = (ref: unknown, argument: unknown = { name: 'x', value: '' }) =>
      errorOf(talk.client.request('completion/complete', { ref, argument }))
    expect(await complete({ type: 'ref/prompt', name: 'none' })).toBe('-32602 Unknown prompt: none')
    for (const uri of ['test://1', 'constructor', '__proto__']) {
      expect(await complete({ type: 'ref/resource', uri })).toBe(
        `-32602 Unknown resource template: ${uri}`,
      )
    }
    expect(await complete({ type: 'ref/tool' })).toMatchInlineSnapshot(
      `"-32602 Invalid params: "ref.type" must be "ref/prompt" or "ref/resource", received "ref/tool""`,
    )
    expect(await complete(7)).toMatchInlineSnapshot(
      `"-32602 Invalid params: "ref" must be an object, received 7"`,
    )
    expect(await complete(prompt, null)).toMatchInlineSnapshot(
      `"-32602 Invalid params: "argument" must be an object, received null"`,
    )
    expect(await complete(prompt, { value: '' })).toMatchInlineSnapshot(
      `"-32602 Invalid params: "argument.name" must be a string, received nothing"`,
    )
    expect(await complete(prompt, { name: 'word', value: 1 })).toMatchInlineSnapshot(
      `"-32602 Invalid params: "argument.value" must be a string, received 1"`,
    )
  })
})
