// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configurationSchema, loadConfig, parseConfig } from '../src/index.ts'

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configurationSchema())

const right = {
  'nothing at all': '{}',
  'servers of all kinds': `mcpServers:
  a: { command: x, args: [-p, 80, true], env: { A: 1, B: "\${B}" }, cwd: data, maxInFlight: 4 }
  b: { url: "https://x/mcp", headers: { Authorization: "Bearer \${T}" }, oauth: { scopes: a b } }
  c: { type: sse, url: "http://x/sse", sharing: process, idleTimeout: 5m, timeouts: { total: off } }
  d: { type: streamable-http, url: "http://x", disabled: true, autoApprove: [x] }
  e: { command: x, sharing: "\${SHARING:-session}", enabled: "\${E:-true}", plainNames: true }
  f: { command: x, tools: { t: { timeouts: { idle: 1.5s } } }, toolOverrides: { t: { name: u } } }
`,
  'what clients see': `mcpServers: { a: { command: x } }
publish: [a, "!a/x"]
groups: { g: [a], h: { include: [a], rename: { a/x: y } } }
http: { keys: [{ name: k, key: "0123456789abcdef", scopes: [operator], publish: { exclude: [a/x] } }] }
`,
  'hooks and rules': `mcpServers: { a: { command: x, hooks: { "tools/call?direction=request": "a/check" } } }
hooks:
  "*": ["!mutate:a/look", { target: a/check, priority: 10, timeout: 2s, onError: allow, with: { x: [1] } }]
  tools/list: { target: a/check, mutate: false, if: "x", redact: true, enabled: false }
permissions: { allow: ["a/x(path: /srv/*)"], ask: [a], deny: ["a/delete_*"] }
log: { level: debug, format: json, hookTrace: true }
http: { listen: "127.0.0.1:0", maxBodyBytes: 8 MiB, keepAlive: off, sessions: { max: 5, idleTimeout: 60 } }
state: ./state
`,
  agents: `agents:
  main:
    title: Main
    description: Helps.
    icon: https://example.com/a.png
    iconDark: data:image/png;base64,AA==
    starterMessages: [Hello, What can you do?]
    mode: chat
    default: true
    model: anthropic/claude-sonnet-5
    instructions: You help.
    tools: [a, "a/x*", "!a/y", "a/z:w"]
    agents: [helper]
    mcpServers: [a]
    prompts: [greet, a/hello]
    resources: ["a/file:///*"]
    output: { name: report, fields: { "tags[]": Words, "size(int)": { description: How big, required: false }, "kind(a, b)": Which, at: { fields: { x(number): Left } } } }
    temperature: 0.3
    topP: 1
    maxOutputTokens: 4000
    reasoning: high
    contextWindow: 100000
    limits: { turns: 10, time: 5m, tokens: 100000, cost: 0.5 }
    permissions: { allow: [a], ask: [a/x], deny: [a/y] }
    hooks: { request: a/check, response: ["!mutate:a/look"] }
    aliases: [sonnet]
    cost: 0.5
    speed: "\${SPEED:-1}"
    intelligence: 1
  helper: { mode: subagent, instructions: { server: a, prompt: hello, arguments: { to: me } }, tools: a }
  other: { instructions: { prompt: greet }, output: { schema: { type: object, properties: {} } } }
  none:
mcpServers: { a: { command: x } }
prompts: { greet: { description: Greets, template: "Hi \${name}", input: { name: Who, "mood(good, bad)": { required: false } } } }
`,
  models: `models:
  default: sonnet
  mini: local/small
  aliases: { sonnet: anthropic/claude-sonnet-5 }
  providers:
    local: { baseUrl: "http://127.0.0.1:11434/v1", headers: { X-Team: web, X-Number: 5 } }
    own: { dialect: open-responses, baseUrl: "http://127.0.0.1:1", key: "\${KEY:-k}" }
    anthropic: { key: env:T }
  prices: { "local/*": { input: 0, output: 0 }, anthropic/claude-sonnet-5: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }
`,
  variables: `env:
  A: Says what it is.
  C: { description: A port, default: 8080, options: [8080, "9090"], secret: false }
  D: { optional: true, sensitive: false, options: one }
  E:
`,
  'what nanobot says': `agents:
  main:
    name: Main
    maxTokens: 100
    reasoning: { effort: low, summary: auto }
    instructions: { mcpServer: a, prompt: x, args: {} }
    permissions: { bash: allow, "*": deny }
    chat: true
    mode: primary
    output: { strict: true, fields: {} }
    toolChoice: auto
    threadName: x
llmProviders: { own: { dialect: OpenAIChatCompletions, baseURL: "http://x", apiKey: k } }
mcpServers: { a: { command: x } }
publish: { entrypoint: main, mcpServers: a, tools: [a/x], prompts: a/y, name: x }
`,
  'what has no effect':
    'agents: { main: { toolExtensions: { x: {} }, truncation: auto } }\nllmProviders: {}\nworkspaceId: x\n',
}

describe('what is right for us is right for an editor:', () => {
  test.each(Object.entries(right))('%s', (_, text) => {
    const env = { B: 'b', T: 't' }
    expect(() => parseConfig(text, { file: 'mobius.yaml', env })).not.toThrow()
    validate(parse(text))
    expect(validate.errors).toBeNull()
  })
})

test('so are layers, which say a part', () => {
  validate(
    parse(`extends: [base.yaml]
mcpServers: { a: { sharing: process }, gone: null }
profiles: { test: { mcpServers: { a: { enabled: false } }, log: { level: trace } } }
`),
  )
  expect(validate.errors).toBeNull()
})

test('the README’s own configuration is right in both', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? []
  const env = { SEARCH_TOKEN: 't', CI_KEY: '0123456789abcdefg', ANTHROPIC_API_KEY: 'k' }
  const files: Record<string, string> = { '/w/mobius.yaml': text, '/w/shared/base.yaml': '{}' }
  const { warnings } = await loadConfig('/w/mobius.yaml', {
    env,
    allowExec: true,
    readFile: async (path) => files[path] ?? 'from-a-file',
    run: async () => 'from-a-program-0123',
  })
  expect(warnings).toEqual([])
  validate(parse(text))
  expect(validate.errors).toBeNull()
})

describe('a slip is seen in the editor:', () => {
  test.each([
    'mcpServer: {}',
    'mcpServers: { a: { comand: x } }',
    'mcpServers: { a: { command: x, url: "http://x" } }',
    'mcpServers: { a: { command: x, sharing: prozess } }',
    'mcpServers: { a: { command: x, args: x } }',
    'mcpServers: { a: { command: x, idleTimeout: 5x } }',
    'mcpServers: { a: { command: [x] } }',
    'publish: { includ: [a] }',
    'publish: 5',
    'hooks: { "*": [{ target: a/b, onErorr: deny }] }',
    'hooks: { "*": [{ priority: 1 }] }',
    'permissions: { forbid: [a] }',
    'log: { level: loud }',
    'http: { keys: [{ name: a }] }',
    'agents: { a: { instuctions: x } }',
    'agents: { a: { mode: boss } }',
    'agents: { a: { limits: { turn: 5 } } }',
    'agents: { a: { output: { fields: { x: { fields: { y: 5 } } } } } }',
    'models: { providers: { a: { dialect: openay } } }',
    'models: { prices: { openai/x: { input: 1 } } }',
    'prompts: { a: {} }',
    'env: { A: { optoinal: true } }',
  ])('%s', (text) => {
    expect(() => parseConfig(text, { file: 'mobius.yaml' })).toThrow()
    expect(validate(parse(text))).toBe(false)
  })
})

test('also within a profile that nobody asked for', () => {
  expect(validate(parse('profiles: { test: { mcpServer: {} } }'))).toBe(false)
})

test('every key has a description', () => {
  expect(undescribed(configurationSchema(), '')).toEqual(['$schema'])
})

test('the published file is the one that is made: `pnpm run schema` renews it', async () => {
  const file = join(import.meta.dirname, '../schema/mobius.schema.json')
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(configurationSchema())
})

function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties') return undescribed(value, path)
    return Object.entries(value as Record<string, { description?: string }>).flatMap(
      ([name, member]) => {
        const place = path === '' ? name : `${path}.${name}`
        return [...(member.description ? [] : [place]), ...undescribed(member, place)]
      },
    )
  })
}
