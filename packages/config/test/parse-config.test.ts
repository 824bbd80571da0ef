// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import { type ParseConfigOptions, parseConfig, revealConnection } from '../src/index.ts'

function parse(text: string, options: Partial<ParseConfigOptions> = {}) {
  return parseConfig(text, { file: '/etc/mobius/mobius.yaml', ...options })
}

/** The servers without their digests. */
function serversOf(text: string, options: Partial<ParseConfigOptions> = {}) {
  return parse(text, options).servers.map(({ identity: _, ...settings }) => settings)
}

test('everything that can be said', () => {
  const { servers, ...rest } = parse(`
mcpServers:
  files:
    type: stdio
    command: npx
    args: [-y, server-filesystem, --port, 8080, true, 1.0]
    env: { DEBUG: true, LEVEL: 010, NAME: x }
    cwd: data
    sharing: process
    idleTimeout: 10m
    plainNames: true
    timeouts: { request: 30, idle: 1.5s, total: off }
    tools:
      slow_one: { timeouts: { request: 1h } }
  remote:
    url: https://example.com/mcp
    headers: { Authorization: Bearer x, X-Count: 5 }
    enabled: false
  old: { type: sse, url: "http://localhost:3000/sse", sharing: principal }
publish:
  include: [files, "remote/*", "remote/find:search"]
  exclude: [files/delete, "*/secret*"]
  rename: { files/read: read_file }
  describe: { files/read: Reads one file. }
http:
  listen: 0.0.0.0:9000
  allowedHosts: [example.com, "example.com:443", "[::1]:*"]
  allowedOrigins: ["https://app.example.com", "vscode-webview://x"]
  trustedProxies: [10.0.0.0/8, "::1"]
  maxBodyBytes: 8 MiB
  keepAlive: off
  keys: [{ name: ci, key: 0123456789abcdef }]
  sessions: { idleTimeout: 1h, max: 500 }
`)
  expect(servers.map(({ identity: _, ...settings }) => settings)).toMatchInlineSnapshot(`
    [
      {
        "connection": {
          "args": [
            "-y",
            "server-filesystem",
            "--port",
            "8080",
            "true",
            "1.0",
          ],
          "command": "npx",
          "cwd": "/etc/mobius/data",
          "env": {
            "DEBUG": "true",
            "LEVEL": "010",
            "NAME": "x",
          },
          "type": "stdio",
        },
        "disabled": false,
        "idleTimeout": 600000,
        "name": "files",
        "plainNames": true,
        "sharing": "process",
        "timeouts": {
          "idle": 1500,
          "request": 30000,
          "total": Infinity,
        },
        "toolTimeouts": {
          "slow_one": {
            "request": 3600000,
          },
        },
      },
      {
        "connection": {
          "headers": {
            "Authorization": "Bearer x",
            "X-Count": "5",
          },
          "type": "http",
          "url": "https://example.com/mcp",
        },
        "disabled": true,
        "name": "remote",
        "plainNames": false,
        "sharing": "session",
        "timeouts": {},
        "toolTimeouts": {},
      },
      {
        "connection": {
          "headers": {},
          "type": "sse",
          "url": "http://localhost:3000/sse",
        },
        "disabled": false,
        "name": "old",
        "plainNames": false,
        "sharing": "principal",
        "timeouts": {},
        "toolTimeouts": {},
      },
    ]
  `)
  expect(rest).toMatchInlineSnapshot(`
    {
      "agents": [],
      "entrypoints": [],
      "file": "/etc/mobius/mobius.yaml",
      "files": [
        "/etc/mobius/mobius.yaml",
      ],
      "folders": [],
      "groups": {},
      "hooks": [],
      "http": {
        "allowedHosts": [
          "example.com",
          "example.com:443",
          "[::1]:*",
        ],
        "allowedOrigins": [
          "https://app.example.com",
          "vscode-webview://x",
        ],
        "keepAlive": Infinity,
        "keys": [
          BearerKey {
            "name": "ci",
            "publish": undefined,
            "scopes": [],
          },
        ],
        "listen": {
          "host": "0.0.0.0",
          "port": 9000,
        },
        "maxBodyBytes": 8388608,
        "sessions": {
          "idleTimeout": 3600000,
          "max": 500,
        },
        "trustedProxies": [
          "10.0.0.0/8",
          "::1",
        ],
      },
      "identity": "c6112795401137c744f31957df245e961775a4c47ea2300c99951d34ae6a52f3",
      "log": {},
      "models": {
        "aliases": {},
        "prices": {},
        "providers": {},
      },
      "permissions": {
        "allow": [],
        "ask": [],
        "deny": [],
      },
      "profiles": [],
      "prompts": [],
      "provenance": [Function],
      "publish": {
        "describe": {
          "files/read": "Reads one file.",
        },
        "implied": false,
        "refs": [
          "files",
          "remote/*",
          "remote/find:search",
          "files/read:read_file",
          "!files/delete",
          "!*/secret*",
        ],
      },
      "variables": [],
      "warnings": [],
    }
  `)
})

describe('what is left out', () => {
  test('is filled in, and every server is published', () => {
    const { servers, publish, http } = parse(
      'mcpServers: { a: { command: x }, b: { url: "http://y" } }',
    )
    expect(servers[0]).toMatchObject({
      connection: { type: 'stdio', command: 'x', args: [], env: {}, cwd: '/etc/mobius' },
      sharing: 'session',
      timeouts: {},
      toolTimeouts: {},
      plainNames: false,
      disabled: false,
    })
    expect(servers[0]).not.toHaveProperty('idleTimeout')
    expect(servers[1]?.connection).toEqual({ type: 'http', url: 'http://y', headers: {} })
    expect(publish).toEqual({ refs: ['a', 'b'], implied: true, describe: {} })
    expect(http).toEqual({
      allowedHosts: [],
      allowedOrigins: [],
      trustedProxies: [],
      keys: [],
      sessions: {},
    })
  })

  test.each([
    '',
    '\uFEFF',
    '# nothing yet\n',
    '{}',
    'mcpServers:\n#  a: { command: x }\n',
    '---\n...\n',
  ])('may be everything: %j', (text) => {
    expect(parse(text)).toMatchObject({ servers: [], publish: { refs: [], implied: true } })
  })
})

describe('publish', () => {
  const servers =
    'mcpServers: { a: { command: x }, b: { command: x }, off: { command: x, enabled: false } }'

  test.each([
    ['[a]', ['a'], false],
    ['[]', [], false],
    ['["!a/x"]', ['a', 'b', '!a/x'], true],
    ['{ exclude: [a/x] }', ['a', 'b', '!a/x'], true],
    ['{ include: [a], exclude: [a/x] }', ['a', '!a/x'], false],
    ['{ rename: { a/x: y } }', ['a', 'b', 'a/x:y'], true],
    [
      '[meta, "a/file:///tmp/x", "a/urn:x:alias"]',
      ['meta', 'a/file:///tmp/x', 'a/urn:x:alias'],
      false,
    ],
    ['["*", "*/list*", "b*/x"]', ['*', '*/list*', 'b*/x'], false],
  ])('%s', (publish, refs, implied) => {
    expect(parse(`${servers}\npublish: ${publish}`).publish).toEqual({
      refs,
      implied,
      describe: {},
    })
  })

  test('may name servers that the application adds', () => {
    const text = 'publish: [extra/tool]'
    expect(parse(text, { knownServers: ['extra'] }).publish.refs).toEqual(['extra/tool'])
  })
})

describe('files of other clients load as they are:', () => {
  test('.mcp.json, indented with tabs', () => {
    const text = JSON.stringify(
      { mcpServers: { github: { type: 'http', url: 'https://x/', headers: { A: 'b' } } } },
      undefined,
      '\t',
    )
    expect(serversOf(text)).toMatchObject([{ name: 'github', connection: { type: 'http' } }])
  })

  test('a bare map of servers, whatever they are called', () => {
    const text =
      '{"http": {"url": "https://x"}, "publish": {"command": "p"}, "a": {"command": "x"}}'
    expect(serversOf(text).map(({ name }) => name)).toEqual(['http', 'publish', 'a'])
  })

  test('names of marketplaces', () => {
    const text =
      '{"mcpServers":{"github.com/a/b":{"command":"x"},"@c/d e":{"command":"x"},"ü":{"command":"x"}}}'
    expect(serversOf(text).map(({ name }) => name)).toEqual(['github.com/a/b', '@c/d e', 'ü'])
    expect(
      parse(`${text.slice(0, -1)},"publish":["github.com/a/b/tool"]}`).publish.refs,
    ).toHaveLength(1)
  })

  test.each(['streamable-http', 'streamableHttp', 'http'])('type %s', (type) => {
    expect(serversOf(`a: { type: ${type}, url: "http://x" }`)).toMatchObject([
      { connection: { type: 'http' } },
    ])
  })

  test('settings without effect here are named, and disabled is honoured', () => {
    const { servers, warnings } = parse(
      `{
  "$schema": "https://example.com/schema.json",
  "inputs": [],
  "mcpServers": {
    "a": { "command": "x", "disabled": true, "autoApprove": ["y"], "timeout": 60 },
    "b": { "command": "x", "disabled": false, "enabled": true, "tools": ["*"], "envFile": ".env" }
  }
}`,
      { file: '.mcp.json' },
    )
    expect(servers.map(({ name, disabled }) => [name, disabled])).toEqual([
      ['a', true],
      ['b', false],
    ])
    expect(
      warnings.map(
        ({ code, line, column, path, message }) =>
          `${code} ${line}:${column} ${path.join('.')}: ${message}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "NOT_HONOURED 5:46 mcpServers.a.autoApprove: has no effect here: calls of clients need no approval here",
        "NOT_HONOURED 5:68 mcpServers.a.timeout: has no effect here: clients differ in its unit; write timeouts: { request: 30s }",
        "NOT_HONOURED 6:64 mcpServers.b.tools: has no effect here: as a list it belongs to another client; write publish: [server/tool]",
        "NOT_HONOURED 6:80 mcpServers.b.envFile: has no effect here: write env: { NAME: "\${NAME}" }",
      ]
    `)
  })

  test('references as editors write them', () => {
    const text = 'a: { url: "http://x", headers: { Authorization: "Bearer ${env:TOKEN}" } }'
    const [server] = serversOf(text, { env: { TOKEN: 't' } })
    expect(server && revealConnection(server.connection)).toMatchObject({
      headers: { Authorization: 'Bearer t' },
    })
  })
})

describe('variables', () => {
  test('are replaced in values of every kind, and nowhere else', () => {
    const text = `
mcpServers:
  \${NAME}:
    command: \${CMD}
    args: ["\${A}-\${B:-b}", '\${EMPTY}', "$\${NAME}", "$NAME", "a$b"]
    env: { "\${NAME}": "\${MULTI}" }
    enabled: \${YES}
http: { sessions: { max: "\${MAX}" }, maxBodyBytes: "\${SIZE:-1 kB}", listen: "\${HOST:-127.0.0.1}:\${PORT}" }
`
    const env = {
      NAME: 'n',
      CMD: 'c',
      A: '${B}',
      EMPTY: '',
      MULTI: 'x: y',
      YES: 'true',
      MAX: '7',
      PORT: '0',
    }
    const { servers, http } = parse(text, { env })
    const [server] = servers
    expect(server).toMatchObject({ name: '${NAME}', disabled: false })
    expect(server && revealConnection(server.connection)).toMatchObject({
      command: 'c',
      args: ['${B}-b', '', '${NAME}', '$NAME', 'a$b'],
      env: { '${NAME}': 'x: y' },
    })
    expect(http).toMatchObject({
      sessions: { max: 7 },
      maxBodyBytes: 1000,
      listen: { host: '127.0.0.1', port: 0 },
    })
  })

  test('never come from the machine by themselves', () => {
    expect(() => parse('a: { command: "${PATH}" }')).toThrow('the variable PATH is not set')
  })

  test('never come from a prototype', () => {
    expect(() => parse('a: { command: "${constructor}" }')).toThrow('constructor is not set')
  })
})

describe('YAML', () => {
  test('anchors and aliases stand for what they name', () => {
    const text =
      'mcpServers:\n  a: { command: x, env: &env { K: v } }\n  b: { command: y, env: *env }\n'
    const [a, b] = serversOf(text)
    expect(b?.connection).toMatchObject({ env: { K: 'v' } })
    expect(a?.connection).toMatchObject({ env: { K: 'v' } })
  })

  test('numbers and booleans that a process is handed stay as they were written', () => {
    const text = 'a: { command: x, args: [0x1F, 1.50, 1e3, no, 2026-01-01], env: { A: 007 } }'
    expect(serversOf(text)[0]?.connection).toMatchObject({
      args: ['0x1F', '1.50', '1e3', 'no', '2026-01-01'],
      env: { A: '007' },
    })
  })
})

describe('the snapshot', () => {
  test('cannot be changed', () => {
    const { servers, publish } = parse('a: { command: x, env: { K: v } }')
    const [server] = servers
    expect(Object.isFrozen(server)).toBe(true)
    expect(Object.isFrozen(server?.connection)).toBe(true)
    expect(() => Object.assign(publish, { refs: [] })).toThrow(TypeError)
  })

  test('has an identity for each server that follows every setting, and nothing else', () => {
    const identity = (text: string, folder = '/a') =>
      parse(text, { file: `${folder}/mobius.yaml`, env: { V: '1' } }).servers[0]?.identity
    const base = identity('a: { command: x }')
    expect(base).toMatch(/^[0-9a-f]{64}$/)
    expect(identity('mcpServers:\n  a:\n    type: stdio\n    command: x # the same')).toBe(base)
    const others = [
      'a: { command: y }',
      'a: { command: x, args: [a] }',
      'a: { command: x, env: { A: "${V}" } }',
      'a: { command: x, timeouts: { total: off } }',
      'a: { command: x, timeouts: { total: 1 } }',
      'a: { command: x, plainNames: true }',
      'a: { command: x, disabled: true }',
    ].map((text) => identity(text))
    expect(new Set([base, identity('a: { command: x }', '/b'), ...others]).size).toBe(9)
  })

  test('takes any name of a tool without finding a prototype', () => {
    const [server] = parse(
      'a: { command: x, tools: { constructor: { timeouts: { idle: 1 } } } }',
    ).servers
    expect(server?.toolTimeouts.constructor).toEqual({ idle: 1000 })
    expect(server?.toolTimeouts.toString).toBeUndefined()
  })
})
