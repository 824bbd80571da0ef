// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const whole = `extends: base.yaml
agents:
  main: { model: gpt-5, tools: [files], instructions: "You are \${role}" }
  helper: { mcpServers: files }
llmProviders: { openai: { apiKey: "\${OPENAI_API_KEY}" } }
prompts: { hello: { template: "Hi \${name}" } }
env: { TOKEN: { description: A token, sensitive: true } }
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
  prompts: policy/hello
  resources: policy
  resourceTemplates: policy/x
profiles: { test: { mcpServers: { policy: { url: http://localhost } } } }
`

const base = 'mcpServers: { extra: { url: http://x } }'

test('every key of a file is honoured, or named as not yet honoured', async () => {
  const files = { '/n/nanobot.yaml': whole, '/n/base.yaml': base }
  const configuration = await loadFiles(files, '/n/nanobot.yaml', { env: { KEY: 'k' } })
  expect(warningsOf(configuration)).toMatchInlineSnapshot(`
    [
      "/n/nanobot.yaml:2:1: agents: has no effect here: agents are not yet honoured (main, helper)",
      "/n/nanobot.yaml:5:1: llmProviders: has no effect here: models are not yet honoured (openai)",
      "/n/nanobot.yaml:6:1: prompts: has no effect here: prompts of a file are not yet honoured (hello)",
      "/n/nanobot.yaml:7:1: env: has no effect here: declarations are not yet honoured; write \${VAR:-default} or \${VAR:?message} where it is used (TOKEN)",
      "/n/nanobot.yaml:8:1: auth: has no effect here: not yet honoured; http: { keys: [...] } says who may come in (apiKeyAuthWebhookUrl)",
      "/n/nanobot.yaml:9:1: workspaceId: has no effect here: workspaces are not yet honoured",
      "/n/nanobot.yaml:10:1: workspaceBaseUri: has no effect here: workspaces are not yet honoured",
      "/n/nanobot.yaml:12:3: mcpServers["nanobot.system"]: is left out: the built-in servers of nanobot are not yet honoured",
      "/n/nanobot.yaml:14:5: mcpServers.files.name: has no effect here: a server is called by its key",
      "/n/nanobot.yaml:15:5: mcpServers.files.shortName: has no effect here: a server is called by its key",
      "/n/nanobot.yaml:16:5: mcpServers.files.description: has no effect here: servers describe themselves",
      "/n/nanobot.yaml:21:5: mcpServers.files.workdir: has no effect here: containers are not yet honoured; cwd says where a program runs",
      "/n/nanobot.yaml:22:5: mcpServers.files.toolPrefix: has no effect here: not yet honoured; tools are called server__tool, or as publish: { rename } says",
      "/n/nanobot.yaml:23:5: mcpServers.files.unsandboxed: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:24:5: mcpServers.files.sandboxed: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:25:5: mcpServers.files.image: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:26:5: mcpServers.files.dockerfile: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:27:5: mcpServers.files.source: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:28:5: mcpServers.files.reversePorts: has no effect here: containers are not yet honoured",
      "/n/nanobot.yaml:29:68: mcpServers.files.toolOverrides.read.inputSchema: has no effect here: what a tool takes cannot be replaced yet",
      "/n/nanobot.yaml:31:26: mcpServers.web.ports: has no effect here: not yet honoured: nothing starts a program and reaches it at a URL",
      "/n/nanobot.yaml:33:10: hooks.session: has no effect here: nothing happens at the point session yet",
      "/n/nanobot.yaml:35:3: publish.name: has no effect here: not yet honoured: Mobius introduces itself as mobius",
      "/n/nanobot.yaml:36:3: publish.version: has no effect here: not yet honoured: Mobius introduces itself with its own version",
      "/n/nanobot.yaml:37:3: publish.instructions: has no effect here: not yet honoured: clients are given the instructions of the servers",
      "/n/nanobot.yaml:38:3: publish.introduction: has no effect here: introductions are not yet honoured",
      "/n/nanobot.yaml:39:3: publish.entrypoint: main is left out: agents are not yet honoured",
      "/n/nanobot.yaml:41:33: publish.tools[1]: helper is left out: agents are not yet honoured",
      "/n/nanobot.yaml:43:3: publish.resources: publishes all of the server, not its resources alone",
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
        "files/read:read_file",
        "files/list",
        "policy/check:checked",
        "policy/hello",
        "policy",
        "policy/x",
      ],
    }
  `)
  expect(configuration.hooks.map(({ id }) => id)).toMatchInlineSnapshot(`
    [
      "session policy/start",
      "tools/call?direction=request&server=files policy/check",
    ]
  `)
})

test('what publishes agents alone publishes no server', async () => {
  const text =
    'agents: { main: {} }\nmcpServers: { a: { command: x } }\npublish: { entrypoint: main }'
  const { publish } = await loadFiles({ '/n.yaml': text }, '/n.yaml')
  expect(publish).toMatchObject({ refs: [], implied: false })
})

describe('a folder', () => {
  const agents = { '/n/agents/main.md': '---\nname: x\n---\nHello', '/n/agents/README.md': 'x' }

  test('names its agents, and loads its servers', async () => {
    const files = { ...agents, '/n/nanobot.yaml': 'mcpServers: { a: { command: x } }' }
    const configuration = await loadFiles(files, '/n')
    expect(configuration.servers).toHaveLength(1)
    expect(configuration.servers[0]?.connection).toMatchObject({ cwd: '/n' })
    expect(warningsOf(configuration)).toEqual(['/n/agents: not yet honoured: main'])
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
