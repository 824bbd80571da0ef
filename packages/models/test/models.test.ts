import { execFileSync } from 'node:child_process'
import { openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { openaiChat } from '@mobius-mcp/testing/models/openai-chat.ts'
import { expect, test } from 'vitest'
import { costOf, createModels, isModelError, ModelError } from '../src/index.ts'
import { ask, finished, userSays } from './support/ask.ts'

const providers = {
  ollama: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' },
  anthropic: { dialect: 'anthropic', key: 'key' },
} as const
const aliases = {
  default: 'smart',
  smart: 'anthropic/claude-sonnet-5',
  local: 'ollama/library/llama3.2:3b',
}

test('a name is a provider and all that follows the first slash, or an alias of one', () => {
  const models = createModels({ providers, aliases })
  expect(models.model('ollama/library/qwen3').name).toBe('ollama/library/qwen3')
  expect(models.model('local').name).toBe('ollama/library/llama3.2:3b')
  expect(models.model().name).toBe('anthropic/claude-sonnet-5')
  expect(models.model('').name).toBe('anthropic/claude-sonnet-5')
  expect(models.model('mini').name).toBe('anthropic/claude-sonnet-5')
  expect(models.model('smart')).toBe(models.model('default'))
  expect(
    createModels({ providers, aliases: { ...aliases, mini: 'local' } }).model('mini').name,
  ).toContain('llama')
})

test('where nothing is configured there is the console, and it can be asked for', () => {
  expect(createModels().model().name).toBe('console')
  expect(createModels().model('mini').name).toBe('console')
  expect(createModels().isConfigured).toBe(false)
  const models = createModels({ providers, aliases })
  expect(models.isConfigured).toBe(true)
  expect(models.model('console').name).toBe('console')
})

test('what is configured and wrong is an error, never something else', () => {
  const wrong = (name: string, options = { providers, aliases: {} }): string => {
    try {
      return createModels(options).model(name).name
    } catch (error) {
      if (isModelError(error) && error.code === 'MODEL_UNKNOWN') return error.message
      throw error
    }
  }
  expect(wrong('gpt-5')).toMatchInlineSnapshot(
    `"Could not find the model: Expected provider/model or an alias, received "gpt-5". Providers: anthropic, ollama. Aliases: none. Add the provider or the alias to the configuration, or use one of these."`,
  )
  expect(wrong('openai/gpt-5')).toContain('Providers: anthropic, ollama.')
  expect(wrong('ollama/')).toContain('Expected provider/model')
  expect(wrong('constructor/x')).toContain('Expected provider/model')
  expect(wrong('default', { providers, aliases: { default: 'openai/gpt-5' } })).toContain(
    '"openai/gpt-5"',
  )
  expect(wrong('a', { providers, aliases: { a: 'b', b: 'a' } })).toContain('a -> b -> a')
})

test('an error is known across copies of the package', () => {
  const error = new ModelError('RATE_LIMITED', 'Too many.')
  expect(isModelError(error)).toBe(true)
  expect(isModelError(new Error('x'))).toBe(false)
})

test("a provider's package is loaded when it is first asked, and no other", () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { createModels } = await import('./src/index.ts')
    const has = (name) => loaded.some((url) => url.includes('@ai-sdk/' + name + '/'))
    const all = () => ['openai', 'openai-compatible', 'anthropic', 'google'].filter(has).join()
    const before = all()
    const models = createModels({
      providers: { a: { dialect: 'anthropic' } },
      fetch: () => Promise.reject(new Error('no network')),
      retry: { attempts: 1 },
    })
    const model = models.model('a/claude')
    const made = all()
    for await (const event of model.stream({ messages: [] }));
    console.log(JSON.stringify([before, made, all()]))`
  const output = execFileSync(
    process.execPath,
    ['--conditions=@mobius-mcp/source', '--input-type=module', '--eval', script],
    { cwd: `${import.meta.dirname}/..`, encoding: 'utf8' },
  )
  expect(JSON.parse(output)).toEqual(['', '', 'anthropic'])
})

test('headers are sent over the key, and without a key there is none', async () => {
  await using server = await openLoopback([openaiChat.text])
  const baseUrl = `${server.url}/v1/`
  const models = createModels({
    providers: {
      plain: { dialect: 'openai-chat', baseUrl },
      headed: {
        dialect: 'openai-chat',
        baseUrl,
        key: 'key',
        headers: { authorization: 'Custom 1', 'x-team': 'a' },
      },
    },
  })
  finished(await ask(models.model('plain/m'), userSays('Hi')))
  finished(await ask(models.model('headed/m'), userSays('Hi')))
  const [plain, headed] = server.received
  expect(plain?.path).toBe('/v1/chat/completions')
  expect(plain?.headers).not.toHaveProperty('authorization')
  expect(headed?.headers).toMatchObject({ authorization: 'Custom 1', 'x-team': 'a' })
})

test('nothing is taken from the environment', async () => {
  await using server = await openLoopback([openaiChat.text])
  const models = createModels({
    providers: {
      openai: { dialect: 'openai-responses', baseUrl: '' },
      anthropic: { dialect: 'anthropic', baseUrl: '' },
      google: { dialect: 'google' },
    },
    fetch: (input, init) => {
      seen.push([String(input instanceof Request ? input.url : input), new Headers(init?.headers)])
      return fetch(`${server.url}/v1`, { method: 'POST', body: '{}' })
    },
    retry: { attempts: 1 },
  })
  const seen: [string, Headers][] = []
  const before = { ...process.env }
  for (const name of ['OPENAI', 'ANTHROPIC', 'GOOGLE_GENERATIVE_AI']) {
    process.env[`${name}_API_KEY`] = 'from-environment'
    process.env[`${name}_BASE_URL`] = 'http://from.environment'
  }
  process.env.OPENAI_ORGANIZATION = 'from-environment'
  try {
    for (const name of ['openai', 'anthropic', 'google'])
      await ask(models.model(`${name}/m`), userSays('Hi'))
  } finally {
    process.env = before
  }
  expect(seen.map(([url]) => new URL(url).host)).toEqual([
    'api.openai.com',
    'api.anthropic.com',
    'generativelanguage.googleapis.com',
  ])
  expect(JSON.stringify(seen.map(([, headers]) => [...headers]))).not.toContain('environment')
})

test('a cost is known where price and usage are', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  const usage = {
    inputTokens: 1000,
    cacheReadTokens: 500,
    cacheWriteTokens: 100,
    outputTokens: 200,
  }
  expect(costOf(usage, price)).toBeCloseTo((400 * 3 + 500 * 0.3 + 100 * 3.75 + 200 * 15) / 1e6, 12)
  expect(costOf(usage, { input: 1, output: 1 })).toBeCloseTo(1200 / 1e6, 12)
  expect(costOf(usage, undefined)).toBeUndefined()
  expect(costOf({ outputTokens: 1 }, price)).toBeUndefined()
})
