// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { compileHooks } from '@mobius-mcp/hooks'
import { compileRules } from '@mobius-mcp/permissions'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../src/index.ts'
import { failureOf } from './failure.ts'

const parse = (text: string) => parseConfig(text, { file: 'mobius.yaml' })

const servers = `mcpServers:
  github: { command: x }
  "@scope/policy": { command: x }
`

describe('hooks', () => {
  test('in their short and their long form', () => {
    const { hooks } = parse(`${servers}hooks:
  tools/call?direction=request&name=delete_*:
    - github/check
    - "!mutate:@scope/policy/look/deep"
    - { target: github/check, with: { level: 2 }, priority: 10, timeout: 2s, onError: allow, if: "args.x", redact: true }
  "*?server=github": { target: "!mutate:github/check", enabled: false, timeout: off }
`)
    expect(hooks).toMatchInlineSnapshot(`
      [
        {
          "enabled": true,
          "id": "tools/call?direction=request&name=delete_* github/check",
          "mutate": true,
          "onError": "deny",
          "params": {
            "direction": "request",
            "name": "delete_*",
          },
          "point": "tools/call",
          "priority": 0,
          "target": {
            "server": "github",
            "tool": "check",
          },
          "timeout": 30000,
        },
        {
          "enabled": true,
          "id": "tools/call?direction=request&name=delete_* @scope/policy/look/deep",
          "mutate": false,
          "onError": "deny",
          "params": {
            "direction": "request",
            "name": "delete_*",
          },
          "point": "tools/call",
          "priority": 0,
          "target": {
            "server": "@scope/policy",
            "tool": "look/deep",
          },
          "timeout": 30000,
        },
        {
          "enabled": true,
          "id": "tools/call?direction=request&name=delete_* github/check (2)",
          "if": "args.x",
          "mutate": true,
          "onError": "allow",
          "params": {
            "direction": "request",
            "name": "delete_*",
          },
          "point": "tools/call",
          "priority": 10,
          "redact": true,
          "target": {
            "server": "github",
            "tool": "check",
          },
          "timeout": 2000,
          "with": {
            "level": 2,
          },
        },
        {
          "enabled": false,
          "id": "*?server=github github/check",
          "mutate": false,
          "onError": "deny",
          "params": {
            "server": "github",
          },
          "point": "*",
          "priority": 0,
          "target": {
            "server": "github",
            "tool": "check",
          },
          "timeout": Infinity,
        },
      ]
    `)
  })

  test('of one server alone come after those of all', () => {
    const text = `${servers.replace('github: { command: x }', 'github: { command: x, hooks: { tools/call: github/own } }')}hooks: { tools/call: github/all }`
    expect(parse(text).hooks.map(({ id, params }) => [id, params])).toEqual([
      ['tools/call github/all', {}],
      ['tools/call?server=github github/own', { server: 'github' }],
    ])
  })

  test('are what the hooks package takes', async () => {
    const { hooks } = parse(
      `${servers}hooks: { "tools/call?name=x": [github/first, { target: github/second, priority: 5 }] }`,
    )
    const chain = compileHooks(hooks).for('github', 'tools/call', 'request')
    const calls: string[] = []
    const message = { method: 'tools/call', params: { name: 'x' } }
    await chain.run({ name: 'x', message, origin: { kind: 'client' } }, async ({ target }) => {
      calls.push(target.tool)
      return { content: [] }
    })
    // Higher priorities run earlier.
    expect(calls).toEqual(['second', 'first'])
  })

  test('that would never run are refused, with what was probably meant', () => {
    expect(
      failureOf(`${servers}hooks:
  tools/cal: [github/check]
  tool/call?direction=both: github/check
  tools/call?sever=github: github/check
  tools/call?name: github/check
  tools/call?name=a&name=b: github/check
  sesion: github/check
  "tools call": github/check
  tools/call: [github, "!github/x", "github/*", "", 5, { target: github/x, onErorr: deny, priority: high }, { with: {} }]
`),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:5:3: hooks["tools/cal"]: expected a method of MCP; did you mean tools/call?
        mobius.yaml:6:3: hooks["tool/call?direction=both"]: expected a hook key: direction must be request or response, received "both"
        mobius.yaml:7:3: hooks["tools/call?sever=github"]: expected a hook key: unknown parameter "sever"; expected server, name, direction, method or callOnError; did you mean server?
        mobius.yaml:8:3: hooks["tools/call?name"]: expected name=value, received "name"
        mobius.yaml:9:3: hooks["tools/call?name=a&name=b"]: expected a hook key: name is there twice; use "*" in one value, or a key of its own for each
        mobius.yaml:10:3: hooks.sesion: expected a method such as tools/call, or a point such as session; did you mean session?
        mobius.yaml:11:3: hooks["tools call"]: expected a method, such as tools/call, or "*" before the parameters
        mobius.yaml:12:24: hooks["tools/call"][1]: expected a hook target: only "!mutate:" may stand before server/tool, received "!github/x"
        mobius.yaml:12:37: hooks["tools/call"][2]: expected a hook target: a hook calls one tool, so "*" may not stand in it, received "github/*"
        mobius.yaml:12:49: hooks["tools/call"][3]: expected server/tool, e.g. policy/check, received empty text
        mobius.yaml:12:53: hooks["tools/call"][4]: expected a target: server/tool, !mutate:server/tool, or a map with target and more, received 5
        mobius.yaml:12:76: hooks["tools/call"][5].onErorr: unknown key; did you mean onError?
        mobius.yaml:12:101: hooks["tools/call"][5].priority: expected a whole number; higher ones run earlier, received "high"
        mobius.yaml:12:109: hooks["tools/call"][6].target: is missing; expected text"
    `)
    expect(
      failureOf(`${servers}hooks:
  tools/call:
    - gihub/check
    - { target: "!mutate:polcy/check" }
  tools/list?server=guthub: github/check
`),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:6:7: hooks["tools/call"][0]: there is no server "gihub"; did you mean github?
        mobius.yaml:7:17: hooks["tools/call"][1].target: there is no server "polcy"; configured: github, @scope/policy
        mobius.yaml:8:3: hooks["tools/list?server=guthub"]: there is no server "guthub"; did you mean github?"
    `)
  })

  test('at points where nothing happens yet are named', () => {
    const { warnings } = parse(`${servers}hooks: { PreToolUse: github/x, session: github/y }`)
    expect(warnings.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "has no effect here: nothing happens at the point PreToolUse yet",
      ]
    `)
  })
})

describe('rules', () => {
  test('keep their text and their place', () => {
    const { permissions } = parse(`${servers}permissions:
  allow: ["github/get_*", "@scope/policy"]
  ask:
    - "github/write(path: /srv/*)"
  deny: ["*/delete_*"]
`)
    expect(permissions).toMatchInlineSnapshot(`
      {
        "allow": [
          {
            "column": 11,
            "file": "mobius.yaml",
            "line": 5,
            "text": "github/get_*",
          },
          {
            "column": 27,
            "file": "mobius.yaml",
            "line": 5,
            "text": "@scope/policy",
          },
        ],
        "ask": [
          {
            "column": 7,
            "file": "mobius.yaml",
            "line": 7,
            "text": "github/write(path: /srv/*)",
          },
        ],
        "deny": [
          {
            "column": 10,
            "file": "mobius.yaml",
            "line": 8,
            "text": "*/delete_*",
          },
        ],
      }
    `)
    const deny = permissions.deny.map(({ text }) => text)
    const call = { server: 'github', method: 'tools/call', name: 'delete_all', params: {} }
    expect(compileRules({ deny })({ ...call, origin: { kind: 'client' } })).toEqual({
      decision: 'deny',
      rule: 'deny */delete_*',
    })
  })

  test('that cannot be read, or forbid nothing, are refused', () => {
    expect(
      failureOf(`${servers}permissions:
  allow: ["!github/x", "github/", "github/x(path)", "github/x(path: a", "github:call"]
  deny: [githb/delete, 5]
  forbid: []
`),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:5:11: permissions.allow[0]: Could not read the rule "!github/x" at character 1: expected a server (no rule is negated: put it into another list), found "!". A rule is server, server/tool, server/tool(argument: value, …) or server:method(member: value, …), with * for any text and \\ before a character that is meant as it is.
        mobius.yaml:5:24: permissions.allow[1]: Could not read the rule "github/" at character 8: expected a tool after the "/", found its end.
        mobius.yaml:5:35: permissions.allow[2]: Could not read the rule "github/x(path)" at character 14: expected ":" after the name of the argument, found ")".
        mobius.yaml:5:53: permissions.allow[3]: Could not read the rule "github/x(path: a" at character 17: expected ")", found its end.
        mobius.yaml:5:73: permissions.allow[4]: Could not read the rule "github:call" at character 8: expected a method such as resources/read (a colon that belongs to a name is written "\\:"), found "c".
        mobius.yaml:6:10: permissions.deny[0]: there is no server "githb"; did you mean github?
        mobius.yaml:6:24: permissions.deny[1]: expected text, received 5
        mobius.yaml:7:3: permissions.forbid: unknown key; known here: allow, ask, deny"
    `)
    expect(
      failureOf(`${servers}permissions: { deny: [githb/delete, "git*/x"] }`),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:4:23: permissions.deny[0]: there is no server "githb"; did you mean github?"
    `)
  })
})

describe('groups and keys', () => {
  test('see what they say, and keys say nothing of themselves', () => {
    const { groups, http } = parse(`${servers}groups:
  readers: [github, "!github/write"]
  coders: { include: ["@scope/policy"], rename: { github/get: get } }
http:
  keys:
    - { name: ci, key: 0123456789abcdefg }
    - { name: boss, key: 0123456789abcdefh, scopes: [operator], publish: [github/get] }
`)
    expect(groups).toMatchInlineSnapshot(`
      {
        "coders": {
          "describe": {},
          "implied": false,
          "refs": [
            "@scope/policy",
            "github/get:get",
          ],
        },
        "readers": {
          "describe": {},
          "implied": false,
          "refs": [
            "github",
            "!github/write",
          ],
        },
      }
    `)
    expect(http.keys).toMatchInlineSnapshot(`
      [
        BearerKey {
          "name": "ci",
          "publish": undefined,
          "scopes": [],
        },
        BearerKey {
          "name": "boss",
          "publish": {
            "describe": {},
            "implied": false,
            "refs": [
              "github/get",
            ],
          },
          "scopes": [
            "operator",
          ],
        },
      ]
    `)
    expect(http.keys.map(({ key }) => key)).toEqual(['0123456789abcdefg', '0123456789abcdefh'])
  })

  test('that cannot be meant are refused', () => {
    expect(
      failureOf(`${servers}groups:
  a/b: [github]
  c: [githb]
http:
  keys:
    - { name: ci, key: 0123456789abcdefg, scopes: [operater], publish: [nowhere] }
`),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:5:3: groups["a/b"]: expected a name of at most 64 letters, digits, _ - and .
        mobius.yaml:6:7: groups.c[0]: there is no server "githb"; did you mean github?
        mobius.yaml:9:52: http.keys[0].scopes[0]: expected a scope such as operator, received "operater"
        mobius.yaml:9:73: http.keys[0].publish[0]: there is no server "nowhere"; configured: github, @scope/policy"
    `)
  })
})

test('the rest: logs, the state folder, limits', () => {
  const {
    log,
    state,
    servers: own,
  } = parseConfig(
    `mcpServers: { a: { url: "http://x", maxInFlight: 4, oauth: { clientId: me, clientSecret: s3cret, scopes: a b, callbackPort: 7777 } } }
log: { level: debug, format: human, hookTrace: true }
state: data
`,
    { file: '/etc/mobius.yaml' },
  )
  expect([log, state]).toEqual([{ level: 'debug', format: 'human', hookTrace: true }, '/etc/data'])
  expect(own[0]).toMatchObject({ maxInFlight: 4 })
  const connection = own[0]?.connection
  const oauth = connection && 'oauth' in connection ? connection.oauth : undefined
  expect(JSON.stringify(oauth)).toBe(
    '{"clientId":"me","scopes":["a","b"],"callbackPort":7777,"clientSecret":"[redacted]"}',
  )
  expect(oauth?.clientSecret?.reveal()).toBe('s3cret')
})
