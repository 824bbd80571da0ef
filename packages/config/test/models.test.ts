// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { inspect } from 'node:util'
import { createModels, type ModelsOptions } from '@mobius-mcp/models'
import { describe, expect, test } from 'vitest'
import {
  type Environment,
  MissingVariablesError,
  parseConfig,
  printConfiguration,
  revealModels,
} from '../src/index.ts'
import { failureOf } from './failure.ts'

const parse = (text: string, env: Environment = {}) => parseConfig(text, { file: 'm.yaml', env })

/** The models as `createModels` gets them. */
const revealed = (text: string, env: Environment = {}) => revealModels(parse(text, env).models)

test('everything that can be said of models', () => {
  const options: ModelsOptions = revealed(
    `models:
  default: fast
  mini: local/small
  aliases: { fast: work/gpt-5 }
  providers:
    local: { baseUrl: "http://127.0.0.1:11434/v1" }
    work: { dialect: openai-responses, key: env:KEY, baseUrl: "https://\${HOST}/v1", headers: { X-Team: web, X-Number: 5, X-Key: env:KEY } }
    anthropic: { key: spelled-out }
  prices:
    local/*: { input: 0, output: 0 }
    work/gpt-5: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 }
`,
    { KEY: 'k3y', HOST: 'models.example.com' },
  )
  expect(options).toEqual({
    aliases: { default: 'fast', mini: 'local/small', fast: 'work/gpt-5' },
    prices: {
      'local/*': { input: 0, output: 0 },
      'work/gpt-5': { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
    },
    providers: {
      local: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1', headers: {} },
      work: {
        dialect: 'openai-responses',
        key: 'k3y',
        baseUrl: 'https://models.example.com/v1',
        headers: { 'X-Team': 'web', 'X-Number': '5', 'X-Key': 'k3y' },
      },
      anthropic: { dialect: 'anthropic', key: 'spelled-out', headers: {} },
    },
  })
  const models = createModels(options)
  expect(models.model().name).toBe('work/gpt-5')
  expect(models.model('mini').name).toBe('local/small')
})

test('nothing of it is shown unasked', () => {
  const text = `models:
  providers:
    work: { baseUrl: "https://me:s3cret-1@x/v1", key: s3cret-2, headers: { X-Key: s3cret-3 } }
    own: { baseUrl: "https://\${H}/v1", key: "\${K}", headers: { A: "b \${K}" } }
`
  const configuration = parse(text, { H: 's3cret-4', K: 's3cret-5' })
  const printed = printConfiguration(configuration)
  expect(printed).not.toMatch(/s3cret/)
  expect(printed).toMatch(/key: "\[redacted\]" # m\.yaml:4:45, from K\n/)
  for (const shown of [
    JSON.stringify(configuration),
    inspect(configuration, { depth: 20, showHidden: true }),
  ]) {
    expect(shown).not.toMatch(/s3cret-[245]/)
  }
  expect(failureOf('models: { providers: { a: { key: [s3cret], baseUrl: s3cret } } }')).not.toMatch(
    /s3cret/,
  )
})

describe('a vendor’s provider need not be configured', () => {
  test('where its models are named: its key is that of the environment', () => {
    const text =
      'models: { default: openai/gpt-5 }\nagents: { a: { model: claude-sonnet-5 }, b: { model: gemini-3-pro } }'
    const env = {
      OPENAI_API_KEY: 'o',
      OPENAI_BASE_URL: 'http://x/v1',
      ANTHROPIC_API_KEY: 'a',
      GEMINI_API_KEY: 'g',
    }
    expect(revealed(text, env).providers).toEqual({
      openai: { dialect: 'openai-responses', key: 'o', baseUrl: 'http://x/v1', headers: {} },
      anthropic: { dialect: 'anthropic', key: 'a', headers: {} },
      google: { dialect: 'google', key: 'g', headers: {} },
    })
    expect(parse(text, env).warnings).toEqual([])
    expect(JSON.stringify(parse(text, env).models)).not.toMatch(/"[oag]"/)
  })

  test('and is not there where they are not', () => {
    expect(revealed('models: {}', { OPENAI_API_KEY: 'o' }).providers).toEqual({})
  })

  test('a key that is lacking is told once', () => {
    const { warnings } = parse('agents: { a: { model: gpt-5 }, b: { model: openai/o3 } }')
    expect(warnings).toEqual([
      {
        code: 'UNSET_VARIABLE',
        file: 'm.yaml',
        line: 1,
        column: 16,
        path: ['agents', 'a', 'model'],
        message:
          'needs a key: set OPENAI_API_KEY, or say models: { providers: { openai: { key: … } } }',
      },
    ])
  })

  test('its key goes to no other address, and to no account but its own', () => {
    const env = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g' }
    const text = `models:
  providers: { openai: { baseUrl: "http://elsewhere" }, anthropic: { key: mine }, google: {} }
`
    expect(revealed(text, env).providers).toEqual({
      openai: { dialect: 'openai-responses', baseUrl: 'http://elsewhere', headers: {} },
      anthropic: { dialect: 'anthropic', key: 'mine', headers: {} },
      google: { dialect: 'google', key: 'g', headers: {} },
    })
  })
})

test('a model without a provider is its vendor’s, or that of the only provider', () => {
  const modelsOf = (text: string) => parse(text).agents.map(({ model }) => model)
  const agents =
    'agents: { a: { model: gpt-5 }, b: { model: o3-mini }, c: { model: claude-x }, d: { model: mini } }'
  expect(modelsOf(agents)).toEqual(['openai/gpt-5', 'openai/o3-mini', 'anthropic/claude-x', 'mini'])
  const only =
    'models: { providers: { local: { baseUrl: "http://x" } } }\nagents: { a: { model: "qwen:7b" }, b: { model: local/org/x }, c: { model: console } }'
  expect(modelsOf(only)).toEqual(['local/qwen:7b', 'local/org/x', 'console'])
})

test('what leads to no model is told with what was meant', () => {
  const text = `models:
  default: claud
  mini: "\${MINI}"
  aliases: { claude: antropic/x, a: b, b: c, c: a, mini: a, console: a }
  providers:
    a b: { dialect: anthropic }
    work: {}
    other: { dialect: open-responses }
    third: { dialect: openai }
    four: { dialect: anthropic, baseUrl: work, keys: x }
  prices: { worc/x: { input: 1, output: 1 }, x: { input: 1, output: 1 }, work/x: { input: 1, output: -1 } }
agents:
  main: { model: wrok/x }
  other: { model: x/ }
`
  expect(failureOf(text, { MINI: 'nobody/knows' })).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:2:12: models.default: expected provider/model or an alias, received "claud"; did you mean claude?
      mobius.yaml:3:9: models.mini: expected provider/model or an alias, received what was put in; providers: a b, work, other, third, four, openai, anthropic, google; aliases: default, mini, console, client, claude, a, b, c
      mobius.yaml:4:22: models.aliases.claude: expected provider/model or an alias, received "antropic/x"; did you mean anthropic/…?
      mobius.yaml:4:37: models.aliases.a: leads in a circle: a -> b -> c -> a
      mobius.yaml:4:43: models.aliases.b: leads in a circle: b -> c -> a -> b
      mobius.yaml:4:49: models.aliases.c: leads in a circle: c -> a -> b -> c
      mobius.yaml:4:52: models.aliases.mini: write models: { mini: … }
      mobius.yaml:4:61: models.aliases.console: console is what there is without a model; choose another name
      mobius.yaml:6:5: models.providers["a b"]: expected a name of at most 64 letters, digits, _ - . and :
      mobius.yaml:7:5: models.providers.work: expected dialect, for a vendor’s own service, or baseUrl, for any other
      mobius.yaml:8:5: models.providers.other.baseUrl: is missing; expected where the server is: open-responses is nobody’s own
      mobius.yaml:9:23: models.providers.third.dialect: expected openai-chat, openai-responses, open-responses, anthropic or google, received "openai"
      mobius.yaml:10:42: models.providers.four.baseUrl: expected a URL that begins with http:// or https://, received something else
      mobius.yaml:10:48: models.providers.four.keys: unknown key; did you mean key?
      mobius.yaml:11:13: models.prices["worc/x"]: there is no provider "worc"; did you mean work?
      mobius.yaml:11:46: models.prices.x: expected provider/model, or provider/* for all models of a provider
      mobius.yaml:11:102: models.prices["work/x"].output: expected what a million tokens cost, a number, received -1
      mobius.yaml:13:18: agents.main.model: expected provider/model or an alias, received "wrok/x"; did you mean work/…?
      mobius.yaml:14:19: agents.other.model: expected provider/model or an alias, received "x/"; providers: a b, work, other, third, four, openai, anthropic, google; aliases: default, mini, console, client, claude, a, b, c"
  `)
})

test('a provider that waits for a variable is there by its name, and the others can be used', () => {
  const { models, warnings } =
    parse(`env: { KEY: The key of the work account, HOST: { optional: true } }
models:
  providers:
    work: { key: "\${KEY}", baseUrl: "https://work.example.com/v1" }
    local: { baseUrl: "http://127.0.0.1:1/v1", headers: { A: "x\${HOST}" } }
`)
  expect(warnings.map(({ message }) => message)).toEqual([
    'is not set: The key of the work account; what needs it waits until it is',
  ])
  const { providers } = revealModels(models)
  expect(Object.keys(providers)).toEqual(['work', 'local'])
  expect(providers.local).toMatchObject({ headers: { A: 'x' } })
  expect(() => providers.work).toThrow(MissingVariablesError)
  const named = createModels(revealModels(models))
  expect(named.model('local/x').name).toBe('local/x')
  expect(() => named.model('work/x')).toThrow('The variable KEY is needed and not set')
  expect(revealModels(models, { KEY: 'k3y' }).providers.work).toMatchObject({ key: 'k3y' })
})
