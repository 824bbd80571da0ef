// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the files hold ${...}.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import {
  type ClientKind,
  clientFiles,
  clientKinds,
  connectClient,
  connectClientFile,
  editConfiguration,
  type GatewayAddress,
  parseConfig,
  printClientEntry,
  readClient,
  recogniseClientFile,
  revealConnection,
} from '../src/index.ts'

const stdio: GatewayAddress = {
  kind: 'stdio',
  command: 'npx',
  args: ['-y', '@mobius-mcp/gateway', 'stdio'],
}
const http: GatewayAddress = {
  kind: 'http',
  url: 'http://127.0.0.1:8420/mcp',
  keyVariable: 'MOBIUS_KEY',
}
const open: GatewayAddress = { kind: 'http', url: 'http://127.0.0.1:8420/mcp' }

/** What comes of a file, and how each part that is left out is named. */
function imported(text: string, file: string, project?: string) {
  const { servers, warnings } = readClient(text, { file, project })
  return {
    servers: Object.fromEntries(servers.map(({ name, entry }) => [name, entry])),
    warnings: warnings.map(({ line, path, message }) => `${line} ${path.join('.')}: ${message}`),
  }
}

describe('where clients keep their servers', () => {
  const places = { cwd: '/work', home: '/home/me', env: {} }
  const pathsOf = (platform: string) =>
    clientKinds.flatMap((client) =>
      clientFiles(client, { ...places, platform }).map(
        ({ scope, path }) => `${client} ${scope} ${path}`,
      ),
    )

  test('on Linux', () => {
    expect(pathsOf('linux')).toMatchInlineSnapshot(`
      [
        "claude-code user /home/me/.claude.json",
        "claude-code project /work/.mcp.json",
        "claude-desktop user /home/me/.config/Claude/claude_desktop_config.json",
        "codex user /home/me/.codex/config.toml",
        "codex project /work/.codex/config.toml",
        "cursor user /home/me/.cursor/mcp.json",
        "cursor project /work/.cursor/mcp.json",
        "gemini user /home/me/.gemini/settings.json",
        "gemini project /work/.gemini/settings.json",
        "opencode user /home/me/.config/opencode/opencode.json",
        "opencode project /work/opencode.json",
        "vscode user /home/me/.config/Code/User/mcp.json",
        "vscode project /work/.vscode/mcp.json",
        "windsurf user /home/me/.codeium/windsurf/mcp_config.json",
        "zed user /home/me/.config/zed/settings.json",
        "zed project /work/.zed/settings.json",
      ]
    `)
  })

  test('elsewhere applications have folders of their own', () => {
    expect(pathsOf('darwin').filter((line) => line.includes('Library'))).toMatchInlineSnapshot(`
      [
        "claude-desktop user /home/me/Library/Application Support/Claude/claude_desktop_config.json",
        "vscode user /home/me/Library/Application Support/Code/User/mcp.json",
      ]
    `)
    const windows = { ...places, platform: 'win32', env: { APPDATA: '/roaming' } }
    expect(clientFiles('zed', windows)[0]?.path).toBe('/roaming/Zed/settings.json')
  })

  test('a file is known by where it is', () => {
    for (const client of clientKinds) {
      for (const { path } of clientFiles(client, { ...places, platform: 'linux' })) {
        expect([path, recogniseClientFile(path)]).toEqual([path, client])
      }
    }
    expect(recogniseClientFile('/work/mobius.yaml')).toBeUndefined()
  })
})

describe('servers are read from the file of', () => {
  test('Claude Code, those of the project with those of the user', () => {
    const text = JSON.stringify({
      numStartups: 5,
      mcpServers: {
        a: { type: 'stdio', command: 'npx', args: ['-y', '${PKG:-x}'], env: { T: '${T}' } },
        b: { type: 'http', url: 'https://x/mcp', headersHelper: 'x.sh', timeout: 600000 },
      },
      projects: {
        '/work': { mcpServers: { c: { command: './run.sh' } } },
        '/other': { mcpServers: { d: {} } },
      },
    })
    expect(imported(text, '/home/me/.claude.json', '/work')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "args": [
              "-y",
              "\${PKG:-x}",
            ],
            "command": "npx",
            "env": {
              "T": "\${T}",
            },
            "type": "stdio",
          },
          "b": {
            "timeouts": {
              "total": "600000ms",
            },
            "type": "http",
            "url": "https://x/mcp",
          },
          "c": {
            "command": "./run.sh",
            "cwd": "/work",
          },
        },
        "warnings": [
          "1 mcpServers.b.headersHelper: has no effect here: write headers: { Authorization: "\${exec:command}" }",
        ],
      }
    `)
  })

  test('VS Code, with its inputs and folders', () => {
    const text = `{
  // Asked once.
  "inputs": [{ "id": "api-key", "type": "promptString" }],
  "servers": {
    "a": { "type": "stdio", "command": "\${workspaceFolder}/bin/a", "env": { "K": "\${input:api-key}" }, "envFile": ".env" },
    "b": { "type": "http", "url": "https://x", "headers": { "A": "Bearer \${env:TOKEN}" }, },
  },
}`
    expect(imported(text, '/work/.vscode/mcp.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "command": "/work/bin/a",
            "env": {
              "K": "\${INPUT_API_KEY}",
            },
            "type": "stdio",
          },
          "b": {
            "headers": {
              "A": "Bearer \${TOKEN}",
            },
            "type": "http",
            "url": "https://x",
          },
        },
        "warnings": [
          "5 servers.a.envFile: has no effect here: write env: { NAME: "\${NAME}" }",
        ],
      }
    `)
  })

  test('Cursor, where a URL is enough, and a relative program runs in its project', () => {
    const text =
      '{"mcpServers":{"a":{"url":"https://x/mcp"},"b":{"command":"./run.sh"},"c":{"command":"x","cwd":"sub"}}}'
    expect(imported(text, '/work/.cursor/mcp.json').servers).toEqual({
      a: { url: 'https://x/mcp' },
      b: { command: './run.sh', cwd: '/work' },
      c: { command: 'x', cwd: '/work/sub' },
    })
  })

  test('Windsurf and Claude Desktop', () => {
    const text =
      '{"mcpServers":{"a":{"serverUrl":"https://x","disabled":true,"alwaysAllow":["t"]}}}'
    expect(imported(text, '/h/.codeium/windsurf/mcp_config.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "enabled": false,
            "url": "https://x",
          },
        },
        "warnings": [
          "1 mcpServers.a.alwaysAllow: has no effect here: calls of clients need no approval here",
        ],
      }
    `)
    const desktop =
      '{"mcpServers":{"a":{"command":"x","env":{"K":"${NOT_PUT_IN}"}}},"globalShortcut":""}'
    expect(imported(desktop, '/h/Claude/claude_desktop_config.json').servers).toEqual({
      a: { command: 'x', env: { K: '$${NOT_PUT_IN}' } },
    })
  })

  test('Codex', () => {
    const text = `model = "x"

[mcp_servers.a]
command = "npx"
args = ["-y", "a", "literal \${X}"]
env_vars = ["GITHUB_TOKEN", { name = "OTHER" }]
startup_timeout_sec = 20
tool_timeout_sec = 90
enabled_tools = ["x"]

[mcp_servers.a.env]
MODE = "fast"

[mcp_servers."b c"]
url = "https://x/mcp"
bearer_token_env_var = "B_TOKEN"
http_headers = { X-Plain = "1" }
env_http_headers = { X-Secret = "SECRET" }
enabled = false
scopes = ["read"]
oauth = { client_id = "me" }
`
    expect(imported(text, '/h/.codex/config.toml')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "args": [
              "-y",
              "a",
              "literal $\${X}",
            ],
            "command": "npx",
            "env": {
              "GITHUB_TOKEN": "\${GITHUB_TOKEN}",
              "MODE": "fast",
              "OTHER": "\${OTHER}",
            },
            "timeouts": {
              "total": 90,
            },
          },
          "b c": {
            "enabled": false,
            "headers": {
              "Authorization": "Bearer \${B_TOKEN}",
              "X-Plain": "1",
              "X-Secret": "\${SECRET}",
            },
            "oauth": {
              "clientId": "me",
              "scopes": [
                "read",
              ],
            },
            "url": "https://x/mcp",
          },
        },
        "warnings": [
          "3 mcp_servers.a.startup_timeout_sec: has no effect here: a server is started when it is first used",
          "3 mcp_servers.a.enabled_tools: has no effect here: write publish: [server/tool]",
        ],
      }
    `)
  })

  test('Gemini', () => {
    const text = JSON.stringify({
      theme: 'x',
      mcpServers: {
        a: { httpUrl: 'https://x', headers: { A: 'Bearer $TOKEN' }, timeout: 5000, trust: true },
        b: { url: 'https://x/sse', includeTools: ['t'] },
        c: { command: 'x', env: { A: '${A}', B: '$B' } },
      },
    })
    expect(imported(text, '/h/.gemini/settings.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "headers": {
              "A": "Bearer \${TOKEN}",
            },
            "timeouts": {
              "request": "5000ms",
            },
            "url": "https://x",
          },
          "b": {
            "type": "sse",
            "url": "https://x/sse",
          },
          "c": {
            "command": "x",
            "env": {
              "A": "\${A}",
              "B": "\${B}",
            },
          },
        },
        "warnings": [
          "1 mcpServers.a.trust: has no effect here: calls of clients need no approval here",
          "1 mcpServers.b.includeTools: has no effect here: write publish: [server/tool]",
        ],
      }
    `)
  })

  test('Zed and OpenCode', () => {
    const zed = `{
  // How things were.
  "context_servers": {
    "a": { "source": "custom", "command": "x", "args": ["y"], "env": {} },
    "b": { "command": { "path": "x", "args": ["y"], "env": { "K": "v" } }, "settings": {} },
  },
}`
    expect(imported(zed, '/h/.config/zed/settings.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "args": [
              "y",
            ],
            "command": "x",
            "env": {},
          },
          "b": {
            "args": [
              "y",
            ],
            "command": "x",
            "env": {
              "K": "v",
            },
          },
        },
        "warnings": [
          "5 context_servers.b.settings: has no effect here: it belongs to another client",
        ],
      }
    `)
    const code = JSON.stringify({
      mcp: {
        a: {
          type: 'local',
          command: ['bun', 'x', 'y'],
          environment: { K: '{env:K}' },
          enabled: true,
        },
        b: {
          type: 'remote',
          url: 'https://x',
          headers: { A: 'Bearer {env:T}' },
          enabled: false,
          timeout: 5,
        },
      },
    })
    expect(imported(code, '/w/opencode.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "args": [
              "x",
              "y",
            ],
            "command": "bun",
            "enabled": true,
            "env": {
              "K": "\${K}",
            },
          },
          "b": {
            "enabled": false,
            "headers": {
              "A": "Bearer \${T}",
            },
            "url": "https://x",
          },
        },
        "warnings": [
          "1 mcp.b.timeout: has no effect here: clients differ in what it limits; write timeouts: { request: 30s }",
        ],
      }
    `)
    const newer = '{"mcp":{"servers":{"a":{"type":"local","command":["x"]}}}}'
    expect(imported(newer, '/w/opencode.json').servers).toEqual({ a: { command: 'x', args: [] } })
  })

  test('anybody, and what cannot be had is named', () => {
    const text =
      '{"mcpServers":{"a":{"command":"x"},"meta":{"command":"x"},"b":{"comand":"x"},"c":5,"d":{"command":"${UNSET}"}}}'
    expect(imported(text, '/w/servers.json')).toMatchInlineSnapshot(`
      {
        "servers": {
          "a": {
            "command": "x",
          },
          "d": {
            "command": "\${UNSET}",
          },
        },
        "warnings": [
          "1 mcpServers.meta: meta is the name of a built-in server; choose another, such as my-meta",
          "1 mcpServers.b.comand: unknown key; did you mean command?",
          "1 mcpServers.c: expected a map, received 5",
        ],
      }
    `)
    expect(() => readClient('{"a', { file: '/w/x.json' })).toThrow('/w/x.json:1')
    expect(() => readClient('a = ', { file: '/w/config.toml' })).toThrow(
      '/w/config.toml:1:5: not valid TOML',
    )
  })
})

test('what was read can be added, and is reached as it was', () => {
  const text = '{"mcpServers":{"a":{"url":"https://x","headers":{"A":"Bearer ${env:T}"}}}}'
  const { servers } = readClient(text, { file: '/w/.cursor/mcp.json' })
  const edits = servers.map((server) => ({ kind: 'add', ...server }) as const)
  const file = editConfiguration('', edits, { file: 'mobius.yaml' })
  const [server] = parseConfig(file, { file: 'mobius.yaml', env: { T: 't' } }).servers
  expect(server && revealConnection(server.connection)).toEqual({
    type: 'http',
    url: 'https://x',
    headers: { A: 'Bearer t' },
  })
})

describe('the gateway is written for', () => {
  test.each(clientKinds)('%s', (client) => {
    const show = (address: GatewayAddress) => {
      try {
        return printClientEntry({ client, address })
      } catch (error) {
        return `${(error as Error).message}\n`
      }
    }
    expect(`\n${show(stdio)}\n${show(http)}`).toMatchSnapshot()
  })

  test('what is written is read as it was meant', () => {
    const file: Partial<Record<ClientKind, string>> = { vscode: '/w/.vscode/mcp.json' }
    for (const client of clientKinds) {
      const text = connectClient('', { client, address: stdio, file: 'x' })
      const { servers } = readClient(text, { client, file: file[client] ?? 'x' })
      const { command, args } = servers[0]?.entry ?? {}
      expect([client, servers[0]?.name, command, args]).toEqual([
        client,
        'mobius',
        'npx',
        stdio.kind === 'stdio' ? stdio.args : [],
      ])
    }
  })
})

describe('a client’s file keeps what it has', () => {
  test('in JSON with comments', () => {
    const text = `{
    // Mine.
    "theme": "dark",
    "context_servers": {
        "other": { "url": "https://x" } // stays
    }
}
`
    const once = connectClient(text, { client: 'zed', address: open, file: 'settings.json' })
    expect(once).toMatchInlineSnapshot(`
      "{
          // Mine.
          "theme": "dark",
          "context_servers": {
              "other": { "url": "https://x" }, // stays
              "mobius": {
                  "source": "custom",
                  "url": "http://127.0.0.1:8420/mcp"
              }
          }
      }
      "
    `)
    const twice = connectClient(once, { client: 'zed', address: open, file: 'settings.json' })
    expect(twice).toBe(once)
  })

  test('in TOML', () => {
    const text = `# Mine.
model = "x" # the best

[mcp_servers.mobius] # old
command = "old"
[mcp_servers.mobius.env]
A = "b"

[mcp_servers.other]
command = "other"  # stays
`
    const once = connectClient(text, { client: 'codex', address: http, file: 'config.toml' })
    expect(once).toMatchInlineSnapshot(`
      "# Mine.
      model = "x" # the best

      [mcp_servers.mobius]
      url = "http://127.0.0.1:8420/mcp"
      bearer_token_env_var = "MOBIUS_KEY"

      [mcp_servers.other]
      command = "other"  # stays
      "
    `)
    expect(connectClient(once, { client: 'codex', address: http, file: 'f' })).toBe(once)
    expect(
      connectClient('model = "x"', { client: 'codex', address: http, file: 'f' }),
    ).toMatchInlineSnapshot(`
      "model = "x"

      [mcp_servers.mobius]
      url = "http://127.0.0.1:8420/mcp"
      bearer_token_env_var = "MOBIUS_KEY"
      "
    `)
    const inline = 'mcp_servers = { mobius = { command = "x" } }\n'
    expect(() => connectClient(inline, { client: 'codex', address: http, file: 'f' })).toThrow(
      'put this in by hand',
    )
  })

  test('and its mode', async () => {
    await using folder = await openTemporaryFolder()
    const file = join(folder.path, '.cursor', 'mcp.json')
    await connectClientFile(file, { client: 'cursor', address: stdio })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      mcpServers: { mobius: { command: 'npx' } },
    })
    const broken = join(folder.path, 'b', 'mcp.json')
    await mkdir(dirname(broken))
    await writeFile(broken, '{ "a": ')
    await expect(connectClientFile(broken, { client: 'cursor', address: stdio })).rejects.toThrow(
      'not valid',
    )
    expect(await readFile(broken, 'utf8')).toBe('{ "a": ')
  })
})
