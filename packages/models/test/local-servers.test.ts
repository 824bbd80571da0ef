import { openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { expect, test } from 'vitest'
import { createConsoleModel, findLocalServers } from '../src/index.ts'
import { ask, userSays } from './support/ask.ts'
import { createTestClock } from './support/clock.ts'

const list = {
  object: 'list',
  data: [{ id: 'llama3.2:latest', object: 'model', owned_by: 'library' }],
}

test('a server that lists models is found, and what is no model server is not', async () => {
  await using server = await openLoopback([{ body: JSON.stringify(list) }])
  await using page = await openLoopback([{ body: '<html>' }])
  await using json = await openLoopback([{ body: '{"data":[{"id":1},null,{"id":"a\\u001b[2J"}]}' }])
  await using refusing = await openLoopback([{ status: 401, body: JSON.stringify(list) }])
  const addresses = {
    ollama: `${server.url}/v1`,
    page: page.url,
    json: json.url,
    refusing: refusing.url,
    nothing: 'http://127.0.0.1:1/v1',
  }
  const found = await findLocalServers({ addresses })
  expect(found).toEqual([
    {
      name: 'ollama',
      settings: { dialect: 'openai-chat', baseUrl: `${server.url}/v1` },
      models: ['llama3.2:latest'],
    },
  ])
  expect(server.received.map(({ path }) => path)).toEqual(['/v1/models'])
})

test('a server that does not answer is not waited for', async () => {
  const clock = createTestClock()
  await using server = await openLoopback([{ body: '', end: 'never' }])
  const found = findLocalServers({ addresses: { slow: server.url }, clock, timeout: 200 })
  await clock.waits(200)
  clock.advance(200)
  expect(await found).toEqual([])
  expect(clock.waiting).toEqual([])
})

test('the console offers what was found, and takes nothing by itself', async () => {
  const settings = { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' } as const
  const offers = async (): Promise<
    { name: string; settings: typeof settings; models: string[] }[]
  > => [{ name: 'ollama', settings, models: ['llama3.2', 'qwen3'] }]
  const { text } = await ask(createConsoleModel({ offers }), userSays('Hi'))
  expect(text).toMatchInlineSnapshot(`
    "No language model is configured, so nobody can answer this. Add a provider under \`providers\`, and under \`models\` name one of its models as \`default\`: for instance \`default: ollama/llama3.2\`.

    A model server answers at http://127.0.0.1:11434/v1. To use it: providers: {"ollama":{"dialect":"openai-chat","baseUrl":"http://127.0.0.1:11434/v1"}}, and default: ollama/llama3.2. Its models: llama3.2, qwen3.

    This is the console, not a language model. It understands:

    /tools                        lists the tools
    /call server/tool {"a": 1}    calls a tool, with its arguments as JSON
    /read server uri              reads a resource
    /help                         says this"
  `)
  const { text: help } = await ask(createConsoleModel({ offers }), userSays('/help'))
  expect(help).not.toContain('ollama')
  const broken = createConsoleModel({ offers: () => Promise.reject(new Error('x')) })
  expect((await ask(broken, userSays('Hi'))).text).toContain('No language model is configured')
})
