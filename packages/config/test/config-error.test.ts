// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import { ConfigError, formatProblem, parseConfig } from '../src/index.ts'
import { failureOf } from './failure.ts'

test('every problem of a file is told at once, in the order of the file', () => {
  expect(
    failureOf(`mcpServers:
  github:
    comand: npx
    args: server
    env: { TOKEN: [1], PATH: }
    sharring: process
  both: { url: http://x, command: y }
  mixed: { type: stdio, url: http://x, command: a, sharing: prinzipal }
  meta: { command: x }
  empty: {}
  five: 5
  list: [command, x]
  typo: { type: htp, url: http://x }
  times: { command: x, timeouts: { request: 5x, idel: 3 }, idleTimeout: 0 }
  times: { command: x }
  contrary: { command: x, enabled: true, disabled: true }
  "a:b": { command: "" }
publsh: []
other: { command: x }
`),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:3:5: mcpServers.github.comand: unknown key; did you mean command?
      mobius.yaml:4:11: mcpServers.github.args: expected a list, received text
      mobius.yaml:5:19: mcpServers.github.env.TOKEN: expected text, received a list
      mobius.yaml:5:30: mcpServers.github.env.PATH: expected text, received nothing
      mobius.yaml:6:5: mcpServers.github.sharring: unknown key; did you mean sharing?
      mobius.yaml:7:3: mcpServers.both: has both command and url; type: stdio, http or sse says which is meant
      mobius.yaml:8:25: mcpServers.mixed.url: has no meaning for a server of type stdio
      mobius.yaml:8:61: mcpServers.mixed.sharing: expected session, principal or process, received "prinzipal"; did you mean principal?
      mobius.yaml:9:3: mcpServers.meta: meta is the name of a built-in server; choose another, such as my-meta
      mobius.yaml:10:3: mcpServers.empty: expected command, for a program to start, or url, for a server elsewhere
      mobius.yaml:11:9: mcpServers.five: expected a map, received 5
      mobius.yaml:12:9: mcpServers.list: expected a map, received a list
      mobius.yaml:13:17: mcpServers.typo.type: expected stdio, http or sse; did you mean http?
      mobius.yaml:14:45: mcpServers.times.timeouts.request: expected a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off, received "5x"
      mobius.yaml:14:49: mcpServers.times.timeouts.idel: unknown key; did you mean idle?
      mobius.yaml:14:73: mcpServers.times.idleTimeout: expected a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off, received 0
      mobius.yaml:15:3: mcpServers.times: the same key stands on line 14 already; one of the two must go
      mobius.yaml:16:42: mcpServers.contrary.disabled: contradicts enabled: true; one of the two must go
      mobius.yaml:17:3: mcpServers["a:b"]: expected a name without : * ! and control characters
      mobius.yaml:17:21: mcpServers["a:b"].command: expected text that is not empty, received empty text
      mobius.yaml:18:1: publsh: unknown key; did you mean publish?
      mobius.yaml:19:1: other: looks like a server; servers stand under mcpServers"
  `)
})

test('publish', () => {
  expect(
    failureOf(`mcpServers: { a: { command: x } }
publish:
  include: [a, "a/*:x", "!a/x:y", "/x", "a/", "!", " a", 5, "a/x:${'y'.repeat(49)}"]
  exclude: [!a/x, "!a/x", "a/x:y"]
  rename: { a: b, a/b: "c d", "a/*": x, "a/x:y": z }
  describe: { a/b: 5 }
  includ: []
`),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:3:16: publish.include[1]: expected no * where a name is given: one name cannot stand for several, received "a/*:x"
      mobius.yaml:3:25: publish.include[2]: expected no name after what is left out: !a/x, received "!a/x:y"
      mobius.yaml:3:35: publish.include[3]: expected a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out, received "/x"
      mobius.yaml:3:41: publish.include[4]: expected a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out, received "a/"
      mobius.yaml:3:47: publish.include[5]: expected a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out, received "!"
      mobius.yaml:3:52: publish.include[6]: expected a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out, received " a"
      mobius.yaml:3:58: publish.include[7]: expected text, received 5
      mobius.yaml:3:61: publish.include[8]: expected after the colon a name of at most 48 letters, digits, _ and -, received "a/x:yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
      mobius.yaml:4:17: publish.exclude[0]: text that begins with ! is a YAML tag; put the text in quotes
      mobius.yaml:4:19: publish.exclude[1]: expected a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out, received "!a/x"
      mobius.yaml:4:27: publish.exclude[2]: expected no name after what is left out: !a/x, received "a/x:y"
      mobius.yaml:5:13: publish.rename.a: expected server/tool, without * and without a name after a colon
      mobius.yaml:5:24: publish.rename["a/b"]: expected a name of at most 48 letters, digits, _ and -, received "c d"
      mobius.yaml:5:31: publish.rename["a/*"]: expected server/tool, without * and without a name after a colon
      mobius.yaml:5:41: publish.rename["a/x:y"]: expected server/tool, without * and without a name after a colon
      mobius.yaml:6:20: publish.describe["a/b"]: expected text, received 5
      mobius.yaml:7:3: publish.includ: unknown key; did you mean include?"
  `)
  expect(failureOf('publish: 5')).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:1:10: publish: expected a list of references, or a map with include, exclude, rename, describe, received 5"
  `)
})

test('references to servers that are not there', () => {
  expect(
    failureOf(`mcpServers: { github: { command: x } }
publish:
  include: [github, meta, "*/x", "git*/x"]
  exclude: [githib/delete, nowhere]
  rename: { hub/x: y }
`),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:4:13: publish.exclude[0]: there is no server "githib"; did you mean github?
      mobius.yaml:4:28: publish.exclude[1]: there is no server "nowhere"; configured: github
      mobius.yaml:5:13: publish.rename["hub/x"]: there is no server "hub"; configured: github"
  `)
})

test('http', () => {
  expect(
    failureOf(`http:
  listen: 8420
  allowedHosts: ["http://x", "a:b", "*"]
  allowedOrigins: ["*", "https://x/", example.com]
  trustedProxies: [loopback, 10.0.0.0/33, "::1/129"]
  maxBodyBytes: 8 MoB
  keepAlive: 0
  keys: [{ name: a, key: short }, { name: a }, { key: 12345678901234567890 }, { name: b, key: "0123456789abcde f" }]
  sessions: { max: 0, idleTimeout: 30d, ttl: 5 }
  port: 80
`),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:2:11: http.listen: expected host:port, e.g. 127.0.0.1:8420 or "[::1]:8420", received 8420
      mobius.yaml:3:18: http.allowedHosts[0]: expected host, host:port or host:*, received "http://x"
      mobius.yaml:3:30: http.allowedHosts[1]: expected host, host:port or host:*, received "a:b"
      mobius.yaml:3:37: http.allowedHosts[2]: expected host, host:port or host:*, received "*"
      mobius.yaml:4:20: http.allowedOrigins[0]: expected an origin such as https://app.example.com, without a path, received "*"
      mobius.yaml:4:25: http.allowedOrigins[1]: expected an origin such as https://app.example.com, without a path, received "https://x/"
      mobius.yaml:4:39: http.allowedOrigins[2]: expected an origin such as https://app.example.com, without a path, received "example.com"
      mobius.yaml:5:20: http.trustedProxies[0]: expected an IP address, or a block such as 10.0.0.0/8, received "loopback"
      mobius.yaml:5:30: http.trustedProxies[1]: expected an IP address, or a block such as 10.0.0.0/8, received "10.0.0.0/33"
      mobius.yaml:5:43: http.trustedProxies[2]: expected an IP address, or a block such as 10.0.0.0/8, received "::1/129"
      mobius.yaml:6:17: http.maxBodyBytes: expected a size: a number of bytes, or text such as 512 KiB, 8 MiB, 10 MB, received "8 MoB"
      mobius.yaml:7:14: http.keepAlive: expected a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off, received 0
      mobius.yaml:8:26: http.keys[0].key: expected at least 16 characters, letters, digits and punctuation only, received something else
      mobius.yaml:8:35: http.keys[1].key: is missing; expected text
      mobius.yaml:8:48: http.keys[2].name: is missing; expected text
      mobius.yaml:8:55: http.keys[2].key: expected text, received a number
      mobius.yaml:8:95: http.keys[3].key: expected at least 16 characters, letters, digits and punctuation only, received something else
      mobius.yaml:9:20: http.sessions.max: expected a whole number, at least 1, received 0
      mobius.yaml:9:36: http.sessions.idleTimeout: expected a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off, received "30d"
      mobius.yaml:9:41: http.sessions.ttl: unknown key; known here: idleTimeout, max
      mobius.yaml:10:3: http.port: unknown key; did you mean listen?"
  `)
  expect(
    failureOf(
      'http: { keys: [{ name: a, key: 0123456789abcdefg }, { name: a, key: 0123456789abcdefg }] }',
    ),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:1:61: http.keys[1].name: expected a name of its own; another entry has the same, received "a"
      mobius.yaml:1:69: http.keys[1].key: expected a key of its own; another entry has the same, received something else"
  `)
})

test.each([
  '[::1]',
  ':80',
  'localhost',
  'localhost:65536',
  '::1:80',
  '[x]:80',
  'a b:80',
  'http://x:80',
])('listen: %s is refused', (listen) => {
  expect(failureOf(`http: { listen: "${listen}" }`)).toContain('expected host:port')
})

test('variables without a value', () => {
  expect(
    failureOf(
      `a:
  command: \${NOPE}
  args: ["\${EMPTY:?say which}", "\${", "\${a-b}", "\${A:-\${B}}", "\${}"]
  url2: \${EMPTY}
`,
      { EMPTY: '' },
    ),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:2:12: a.command: the variable NOPE is not set; set it, or write \${NOPE:-default} for a value without it
      mobius.yaml:3:10: a.args[0]: the variable EMPTY is not set: say which
      mobius.yaml:3:33: a.args[1]: expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received one without its }; write $\${ where the text itself is meant
      mobius.yaml:3:39: a.args[2]: expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received one that names no variable; write $\${ where the text itself is meant
      mobius.yaml:3:49: a.args[3]: expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received one inside another; write $\${ where the text itself is meant
      mobius.yaml:3:63: a.args[4]: expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received one that names no variable; write $\${ where the text itself is meant
      mobius.yaml:4:3: a.url2: unknown key; known here: command, args, env, cwd, enabled, sharing, timeouts, idleTimeout, maxInFlight, plainNames, tools, toolOverrides, hooks"
  `)
})

describe('a map of servers that is neither wrapped nor bare', () => {
  test.each([
    ['mcpServer: { a: { command: x } }'],
    ['servers: { a: { comand: x } }'],
    ['weather: { comand: x }'],
    ['a: { command: x }\npublish: [a]'],
    ['a: { command: x }\nb: text'],
    ['[]'],
    ['text'],
    ['mcpServers: [a]'],
  ])('%s', (text) => {
    expect(`\n${failureOf(text)}`).toMatchSnapshot()
  })
})

describe('text that is not YAML', () => {
  test.each([
    ['a second colon', 'a: b: c'],
    ['a tab', 'a:\n\tb: 1'],
    ['a quote that is never closed', 'a: 1\nb: "open\nc: 2\nd: 3\n'],
    ['a bracket that is never closed', 'a: {b: 1\nc: d'],
    ['a missing comma in JSON', '{"a": {"env": {"TOKEN": "s3cret"}\n"b": 1}}'],
    ['an unquoted variable in brackets', 'a: {b: ${A}}'],
    ['an IPv6 address without quotes', 'http: { listen: [::1]:80 }\n'],
    ['a reserved character', 'a: @b'],
    ['an unknown escape', 'a: "C:\\q"'],
    ['a glob without quotes', 'publish: [*]'],
    ['a reference without quotes', 'publish:\n  - */x\n  - !a/b\n'],
    ['two documents', 'a: 1\n---\nb: 2'],
    ['a key that is a list', '? [a]\n: b'],
    ['a key without text', ': b'],
    ['a dangerous key', '{"mcpServers": {"__proto__": {"command": "x"}}}'],
    ['a merge key', 'x: &x {command: a}\ny: {<<: *x}'],
    ['an alias inside what it stands for', 'a: &x {command: y, args: [*x]}'],
  ])('%s', (_, text) => {
    expect(`\n${failureOf(text)}`).toMatchSnapshot()
  })

  test('aliases cannot blow up', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 12; level++) {
      const references = Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')
      lines.push(`a${level}: &a${level} [${references}]`)
    }
    expect(failureOf(lines.join('\n'))).toContain('or more than 100000 values')
  })

  test.each([['['.repeat(100_000)], [`${'['.repeat(80)}${']'.repeat(80)}`], ['- '.repeat(20_000)]])(
    'brackets cannot exhaust the stack',
    (text) => {
      expect(failureOf(text)).toMatch(/nested (too deeply|deeper)|not valid YAML/)
    },
  )

  test('a file that no person wrote is not even read', () => {
    expect(failureOf('#'.repeat(5_000_000))).toMatchInlineSnapshot(
      `"Could not use the configuration mobius.yaml: larger than 4194304 characters"`,
    )
  })
})

describe('an error', () => {
  test('holds each problem as data', () => {
    let thrown: unknown
    try {
      parseConfig('mcpServers: { a: { comand: x } }', { file: '/etc/m.yaml' })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigError)
    const { code, file, problems } = thrown as ConfigError
    expect({ code, file, problems }).toMatchInlineSnapshot(`
      {
        "code": "CONFIG_INVALID",
        "file": "/etc/m.yaml",
        "problems": [
          {
            "code": "UNKNOWN_KEY",
            "column": 20,
            "file": "/etc/m.yaml",
            "line": 1,
            "message": "unknown key; did you mean command?",
            "path": [
              "mcpServers",
              "a",
              "comand",
            ],
            "suggestion": "command",
          },
        ],
      }
    `)
    expect(problems.map(formatProblem)).toMatchInlineSnapshot(`
      [
        "/etc/m.yaml:1:20: mcpServers.a.comand: unknown key; did you mean command?",
      ]
    `)
  })

  test('does not fill the screen', () => {
    const keys = Array.from({ length: 80 }, (_, index) => `key${index}: 1`)
    const lines = failureOf(keys.join('\n')).split('\n')
    expect(lines).toHaveLength(52)
    expect(lines.at(-1)).toBe('  … and 30 more')
  })

  test.each([
    'a: { command: x, env: { K: [s3cret] } }',
    'a: { command: x, env: s3cret }',
    'a: { command: x, args: s3cret }',
    'a: { command: x, args: { s3: s3cret } }',
    'a: { command: [s3cret] }',
    'a: { url: "ftp://user:s3cret@x" }',
    'a: { url: "http://x", headers: s3cret }',
    'a: { url: "http://x", headers: { A: "s3cret\\n" } }',
    'a: { command: x, sharing: "${S}" }',
    'a: { command: x, timeouts: { request: "${S}" } }',
    'http: { listen: "${S}", keys: [{ name: x, key: s3cret }] }',
    'http: { keys: [{ name: x, key: s3cret-s3cret-s3cret }, { name: y, key: s3cret-s3cret-s3cret }] }',
    'a: { command: x, env: { K: "a" s3cret } }',
    'a: { command: x, env: { K: ] s3cret } }',
    'a:\n command: x\n env: { K: a }s3cret\n',
    'a: { command: x, unknown: s3cret }',
  ])('never holds a secret: %s', (text) => {
    expect(failureOf(text, { S: 's3cret' })).not.toContain('s3cret')
  })
})
