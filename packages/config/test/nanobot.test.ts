// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import {
  missingVariables,
  renderPrompt,
  revealAgent,
  revealConnection,
  revealModels,
} from '../src/index.ts'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const whole = `extends: base.yaml
agents:
  main:
    name: Main agent
    shortName: Main
    description: Answers
    icon: https://example.com/light.png
    iconDark: https://example.com/dark.png
    starterMessages: Hello, What can you do?
    model: gpt-5
    instructions: "You are \${role}. \${prompt('policy/rules', {a: {b: 1}})}\${servers.files.instructions}"
    tools: [files, policy/check:look, nanobot.system/read]
    agents: helper
    mcpServers: [files, hello]
    prompts: hello
    resources: files
    threadName: own
    chat: false
    output:
      name: answer
      description: What was found
      strict: false
      fields: { "words[]": All, "size(int)": { description: Big, required: false }, place: { fields: { city: C } } }
    toolChoice: required
    toolExtensions: { files: { type: computer } }
    temperature: 0.3
    topP: 0.9
    truncation: auto
    maxTokens: 4000
    contextWindow: 100000
    reasoning: { effort: low, summary: auto }
    aliases: sonnet
    cost: 1
    speed: 2
    intelligence: 3
    hooks: { config: policy/config, request: [policy/check], response: ["!mutate:policy/check"] }
    permissions: { bash: allow, skills: allow, "*": deny }
    mimeTypes: [text/plain]
    flows: {}
  helper: { id: other, instructions: { mcpServer: policy, prompt: help, args: { to: "\${role}" } }, maxTokens: 0, toolChoice: auto, chat: true, shortName: Helper }
llmProviders:
  openai: { apiKey: "\${KEY}" }
  own: { dialect: OpenAIChatCompletions, baseURL: "http://own.example.com/v1", headers: { X-Key: "\${KEY}" } }
  unknown: { baseURL: "http://unknown.example.com/v1" }
  responses: { dialect: OpenAIResponses, baseURL: "http://x" }
  open: { dialect: OpenResponses, baseURL: "http://x" }
  claude: { dialect: AnthropicMessages }
  bifrost: { dialect: BifrostRequest, baseURL: "http://x" }
prompts: { hello: { description: Greets, template: "Hi \${name} \${nanobot.x}", input: { name: Who } } }
env:
  TOKEN: { description: A token, sensitive: true }
  LEVEL: { default: low, optional: true, options: [low, high] }
  CALLER: { useBearerToken: true, optional: true }
  WHERE: Where it runs
auth: { apiKeyAuthWebhookUrl: http://x }
workspaceId: w
workspaceBaseUri: file:///w
mcpServers:
  nanobot.system: {}
  files:
    name: Files
    shortName: F
    description: Reads files
    command: files
    args: [--root, /srv]
    env: { LEVEL: info }
    cwd: data
    workdir: /app
    toolPrefix: f_
    unsandboxed: true
    sandboxed: false
    image: x
    dockerfile: FROM x
    source: { repo: https://x }
    reversePorts: [8080]
    toolOverrides: { read: { name: read_file, description: Reads., inputSchema: {} }, list: {} }
    hooks: { "tools/call?direction=request": "policy/check" }
  web: { command: serve, ports: [mcp], url: "http://localhost:\${port:mcp}/mcp" }
  policy: { url: https://policy.example.com/mcp, headers: { X-Key: "\${KEY}" } }
hooks: { session: [policy/start] }
publish:
  name: Everything
  version: 1.0.0
  instructions: Be kind.
  introduction: Hello
  entrypoint: main
  mcpServers: [files]
  tools: [policy/check:checked, helper]
  prompts: [policy/hello, hello]
  resources: policy
  resourceTemplates: policy/x
profiles: { test: { mcpServers: { policy: { url: http://localhost } } } }
`

const base = 'mcpServers: { extra: { url: http://x } }'

test('every key of a file is honoured, or named as not yet honoured', async () => {
  const files = { '/n/nanobot.yaml': whole, '/n/base.yaml': base }
  const configuration = await loadFiles(files, '/n/nanobot.yaml', {
    env: { KEY: 'k', role: 'kind' },
  })
  expect(warningsOf(configuration)).toMatchInlineSnapshot(`
    [
      "/n/nanobot.yaml:5:5: agents.main.shortName: has no effect here: title says what people read",
      "/n/nanobot.yaml:11:5: agents.main.instructions: \${prompt(…)}, \${servers.files.instructions} is left out: programs in a text are not yet honoured",
      "/n/nanobot.yaml:12:39: agents.main.tools[2]: nanobot.system is left out: the built-in servers of nanobot are not yet honoured",
      "/n/nanobot.yaml:17:5: agents.main.threadName: has no effect here: each conversation has a name of its own",
      "/n/nanobot.yaml:18:5: agents.main.chat: has no effect here: not yet honoured: every conversation is kept",
      "/n/nanobot.yaml:22:7: agents.main.output.strict: has no effect here: strictness is asked for wherever a schema allows it",
      "/n/nanobot.yaml:24:5: agents.main.toolChoice: has no effect here: not yet honoured: the model chooses whether it calls a tool",
      "/n/nanobot.yaml:25:5: agents.main.toolExtensions: has no effect here: not yet honoured: models are told of tools what their servers say",
      "/n/nanobot.yaml:28:5: agents.main.truncation: has no effect here: what is old is summarised before it would be too much",
      "/n/nanobot.yaml:31:31: agents.main.reasoning.summary: has no effect here: not yet honoured: what a model tells of its reasoning is shown as it comes",
      "/n/nanobot.yaml:37:20: agents.main.permissions.bash: has no effect here: not yet honoured: there is no built-in tool bash; write tools, and permissions: { allow: [server/tool] }",
      "/n/nanobot.yaml:37:33: agents.main.permissions.skills: has no effect here: not yet honoured: there is no built-in tool skills; write tools, and permissions: { allow: [server/tool] }",
      "/n/nanobot.yaml:38:5: agents.main.mimeTypes: has no effect here: attachments of every type are taken",
      "/n/nanobot.yaml:39:5: agents.main.flows: has no effect here: flows are not yet honoured",
      "/n/nanobot.yaml:40:13: agents.helper.id: has no effect here: an agent is called by its key, or by its file",
      "/n/nanobot.yaml:48:3: llmProviders.bifrost: is left out: the dialect BifrostRequest is not yet honoured",
      "/n/nanobot.yaml:49:42: prompts.hello.template: \${nanobot.x} is left out: programs in a text are not yet honoured",
      "/n/nanobot.yaml:51:3: env.TOKEN: is not set: A token; what needs it waits until it is",
      "/n/nanobot.yaml:53:13: env.CALLER.useBearerToken: has no effect here: a client's token is for the gateway alone, and never handed on",
      "/n/nanobot.yaml:54:3: env.WHERE: is not set: Where it runs; what needs it waits until it is",
      "/n/nanobot.yaml:55:1: auth: has no effect here: not yet honoured; http: { keys: [...] } says who may come in (apiKeyAuthWebhookUrl)",
      "/n/nanobot.yaml:56:1: workspaceId: has no effect here: workspaces are not yet honoured",
      "/n/nanobot.yaml:57:1: workspaceBaseUri: has no effect here: workspaces are not yet honoured",
      "/n/nanobot.yaml:59:3: mcpServers["nanobot.system"]: is left out: the built-in servers of nanobot are not yet honoured",
      "/n/nanobot.yaml:61:5: mcpServers.files.name: has no effect here: a server is called by its key",
      "/n/nanobot.yaml:62:5: mcpServers.files.shortName: has no effect here: a server is called by its key",
      "/n/nanobot.yaml:63:5: mcpServers.files.description: has no effect here: servers describe themselves",
      "/n/nanobot.yaml:68:5: mcpServers.files.workdir: has no effect here: containers are not yet honoured; cwd says where a program runs",
      "/n/nanobot.yaml:69:5: mcpServers.files.toolPrefix: has no effect here: not yet honoured; tools are called server__tool, or as publish: { rename } says",
      "/n/nanobot.yaml:70:5: mcpServers.files.unsandboxed: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:71:5: mcpServers.files.sandboxed: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:72:5: mcpServers.files.image: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:73:5: mcpServers.files.dockerfile: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:74:5: mcpServers.files.source: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:75:5: mcpServers.files.reversePorts: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:76:68: mcpServers.files.toolOverrides.read.inputSchema: has no effect here: what a tool takes cannot be replaced yet",
      "/n/nanobot.yaml:78:26: mcpServers.web.ports: has no effect here: not yet honoured: nothing starts a program and reaches it at a URL",
      "/n/nanobot.yaml:82:3: publish.name: has no effect here: not yet honoured: Mobius introduces itself as mobius",
      "/n/nanobot.yaml:83:3: publish.version: has no effect here: not yet honoured: Mobius introduces itself with its own version",
      "/n/nanobot.yaml:84:3: publish.instructions: has no effect here: not yet honoured: clients are given the instructions of the servers",
      "/n/nanobot.yaml:85:3: publish.introduction: has no effect here: introductions are not yet honoured",
      "/n/nanobot.yaml:90:3: publish.resources: publishes all of the server, not its resources alone",
    ]
  `)
  expect(configuration.servers.map(({ name, disabled }) => [name, disabled])).toEqual([
    ['extra', false],
    ['files', false],
    ['web', true],
    ['policy', false],
  ])
  expect(configuration.publish).toMatchInlineSnapshot(`
    {
      "describe": {
        "files/read": "Reads.",
      },
      "implied": false,
      "refs": [
        "main",
        "files/read:read_file",
        "files/list",
        "policy/check:checked",
        "helper",
        "policy/hello",
        "prompts/hello:hello",
        "policy",
        "policy/x",
      ],
    }
  `)
  expect(configuration.hooks.map(({ id }) => id)).toMatchInlineSnapshot(`
    [
      "session policy/start",
      "tools/call?direction=request&server=files policy/check",
      "config?server=main policy/config",
      "request?server=main policy/check",
      "response?server=main policy/check",
    ]
  `)
  expect(configuration.entrypoints).toEqual(['main'])
  expect(configuration.agents.map((agent) => revealAgent(agent))).toMatchInlineSnapshot(`
    [
      {
        "contextWindow": 100000,
        "description": "Answers",
        "instructions": "You are kind. ",
        "limits": {},
        "maxOutputTokens": 4000,
        "model": "openai/gpt-5",
        "name": "main",
        "output": {
          "description": "What was found",
          "name": "answer",
          "schema": {
            "additionalProperties": false,
            "properties": {
              "place": {
                "additionalProperties": false,
                "properties": {
                  "city": {
                    "description": "C",
                    "type": "string",
                  },
                },
                "required": [
                  "city",
                ],
                "type": "object",
              },
              "size": {
                "description": "Big",
                "type": "integer",
              },
              "words": {
                "description": "All",
                "items": {
                  "type": "string",
                },
                "type": "array",
              },
            },
            "required": [
              "words",
              "place",
            ],
            "type": "object",
          },
        },
        "prompts": [
          "prompts/hello:hello",
          "files",
        ],
        "reasoning": "low",
        "resources": [
          "files",
        ],
        "temperature": 0.3,
        "title": "Main agent",
        "tools": [
          "files/read:read_file",
          "files/list",
          "policy/check:look",
          "helper",
        ],
        "topP": 0.9,
        "visibility": "published",
      },
      {
        "instructions": {
          "arguments": {
            "to": "kind",
          },
          "prompt": "help",
          "server": "policy",
        },
        "limits": {},
        "name": "helper",
        "prompts": [],
        "resources": [],
        "title": "Helper",
        "tools": [],
        "visibility": "published",
      },
    ]
  `)
  const [main, helper] = configuration.agents
  expect([main?.icons, main?.starterMessages, main?.sampling]).toMatchInlineSnapshot(`
    [
      [
        {
          "src": "https://example.com/light.png",
          "theme": "light",
        },
        {
          "src": "https://example.com/dark.png",
          "theme": "dark",
        },
      ],
      [
        "Hello",
        "What can you do?",
      ],
      {
        "aliases": [
          "sonnet",
        ],
        "cost": 1,
        "intelligence": 3,
        "speed": 2,
      },
    ]
  `)
  expect([main?.permissions, helper?.permissions]).toEqual([nothing, nothing])
  expect(revealModels(configuration.models)).toMatchInlineSnapshot(`
    {
      "aliases": {},
      "prices": {},
      "providers": {
        "claude": {
          "dialect": "anthropic",
          "headers": {},
        },
        "open": {
          "baseUrl": "http://x",
          "dialect": "open-responses",
          "headers": {},
        },
        "openai": {
          "dialect": "openai-responses",
          "headers": {},
          "key": "k",
        },
        "own": {
          "baseUrl": "http://own.example.com/v1",
          "dialect": "openai-chat",
          "headers": {
            "X-Key": "k",
          },
        },
        "responses": {
          "baseUrl": "http://x",
          "dialect": "openai-responses",
          "headers": {},
        },
        "unknown": {
          "baseUrl": "http://unknown.example.com/v1",
          "dialect": "openai-responses",
          "headers": {},
        },
      },
    }
  `)
  expect(configuration.prompts.map((prompt) => renderPrompt(prompt, { name: 'you' }))).toEqual([
    'Hi you ',
  ])
  expect(missingVariables(configuration.variables).map(({ name }) => name)).toEqual([
    'TOKEN',
    'WHERE',
  ])
})

const nothing = { allow: [], ask: [], deny: [] }

test('what publishes agents alone publishes no server', async () => {
  const text =
    'agents: { main: {} }\nmcpServers: { a: { command: x } }\npublish: { entrypoint: main }'
  const { publish } = await loadFiles({ '/n.yaml': text }, '/n.yaml')
  expect(publish).toMatchObject({ refs: ['main'], implied: false })
})

describe('a folder', () => {
  const agents = { '/n/agents/main.md': '---\nname: x\n---\nHello', '/n/agents/README.md': 'x' }

  test('has its agents, and its servers', async () => {
    const files = { ...agents, '/n/nanobot.yaml': 'mcpServers: { a: { command: x } }' }
    const configuration = await loadFiles(files, '/n')
    expect(configuration.servers).toHaveLength(1)
    expect(configuration.servers[0]?.connection).toMatchObject({ cwd: '/n' })
    expect(configuration.agents).toMatchObject([
      { name: 'main', title: 'x', instructions: 'Hello' },
    ])
    expect(warningsOf(configuration)).toEqual([])
  })

  test('may have its servers in the file of old, in one of two forms', async () => {
    const yaml = { ...agents, '/n/mcp-servers.yaml': 'mcpServers: { a: { command: x } }' }
    expect((await loadFiles(yaml, '/n')).servers).toHaveLength(1)
    const both = { ...yaml, '/n/mcp-servers.json': '{}' }
    expect(await refusalOf(both, '/n')).toMatchInlineSnapshot(
      `"Could not use the configuration /n/mcp-servers.json: stands beside mcp-servers.yaml, and either says what the servers are; one of the two must go"`,
    )
  })

  test('without anything in it is none', async () => {
    expect(await refusalOf({ '/n/x.txt': '' }, '/n')).toMatchInlineSnapshot(
      `"There is no configuration at /n: there is no mobius.yaml in this folder"`,
    )
  })
})

/** The shapes of nanobot's own examples, in words of ours and with nobody at the other end. */
describe('an example of the kind', () => {
  test('one agent with a face and a server of its own', async () => {
    const text = `agents:
  dealer:
    name: Card dealer
    icon: https://example.com/cards.svg
    iconDark: https://example.com/cards-dark.svg
    description: Plays a round of cards
    starterMessages: [Deal me in, Explain the rules]
    model: gpt-4.1
    mcpServers: table
    instructions: |
      You deal cards. Ask the table for each card,
      and never make one up.
mcpServers:
  table: { url: "https://cards.example.com/mcp" }
publish: { name: Cards, entrypoint: dealer }
`
    const env = { OPENAI_API_KEY: 'k' }
    const configuration = await loadFiles({ '/n.yaml': text }, '/n.yaml', { env })
    expect(warningsOf(configuration)).toEqual([
      '/n.yaml:15:12: publish.name: has no effect here: not yet honoured: Mobius introduces itself as mobius',
    ])
    expect(configuration).toMatchObject({
      agents: [{ name: 'dealer', title: 'Card dealer', model: 'openai/gpt-4.1', tools: ['table'] }],
      entrypoints: ['dealer'],
      publish: { refs: ['dealer'], implied: false },
    })
  })

  test('an agent that is told what its server says', async () => {
    const text = `agents:
  seller: { model: claude-sonnet-4, mcpServers: shop, instructions: "\${servers.shop.instructions}" }
mcpServers:
  shop: { url: "\${SHOP_URL}", headers: { Authorization: "Bearer \${SHOP_TOKEN}" } }
env:
  SHOP_URL: { description: Where the shop is, sensitive: false }
  SHOP_TOKEN: { description: Your token, default: "", optional: true }
`
    const configuration = await loadFiles({ '/n.yaml': text }, '/n.yaml')
    expect(warningsOf(configuration)).toMatchInlineSnapshot(`
      [
        "/n.yaml:2:13: agents.seller.model: needs a key: set ANTHROPIC_API_KEY, or say models: { providers: { anthropic: { key: … } } }",
        "/n.yaml:2:55: agents.seller.instructions: \${servers.shop.instructions} is left out: programs in a text are not yet honoured",
        "/n.yaml:6:3: env.SHOP_URL: is not set: Where the shop is; what needs it waits until it is",
      ]
    `)
    const [seller] = configuration.agents
    expect(seller).toMatchObject({ tools: ['shop'], prompts: ['shop'], resources: ['shop'] })
    expect(seller?.instructions).toBeUndefined()
    const missing = missingVariables(configuration.variables)
    expect(missing).toEqual([
      {
        name: 'SHOP_URL',
        description: 'Where the shop is',
        required: true,
        secret: false,
        isSet: false,
      },
    ])
    const [connection] = configuration.servers.map((server) => server.connection)
    expect(connection && revealConnection(connection, { SHOP_URL: 'https://s' })).toMatchObject({
      url: 'https://s',
      headers: { Authorization: 'Bearer ' },
    })
  })

  test('a folder of agents that work together', async () => {
    const files = {
      '/n/nanobot.yaml': `mcpServers:
  store: { url: "https://store.example.com/mcp" }
  mail: { command: npx, args: [-y, mail-server], env: { MAIL_KEY: "\${MAIL_KEY}" } }
env: { MAIL_KEY: The key of the mail account }
`,
      '/n/agents/main.md': `---
id: main
name: Shopping assistant
model: gpt-4.1
temperature: 0.3
default: true
agents: [buyer]
mcpServers: [store]
permissions:
  "*": deny
---

Help people to find what they want, and let the buyer buy it.
`,
      '/n/agents/buyer.md': `---
name: Buyer
mode: subagent
mcpServers:
  - store
  - mail
---
Buy what you are told to.
`,
      '/n/agents/README.md': '# Agents',
    }
    const env = { OPENAI_API_KEY: 'k', MAIL_KEY: 'm' }
    const configuration = await loadFiles(files, '/n', { env })
    expect(warningsOf(configuration)).toEqual([])
    expect(configuration).toMatchObject({
      file: '/n/nanobot.yaml',
      agents: [
        { name: 'buyer', mode: 'subagent', tools: ['store', 'mail'] },
        { name: 'main', mode: 'chat', tools: ['store', 'buyer'], temperature: 0.3 },
      ],
      entrypoints: ['main'],
      publish: { refs: ['store', 'mail', 'main'], implied: true },
    })
  })
})
