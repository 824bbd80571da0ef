import { expect, test } from 'vitest'
import { diffConfiguration, parseConfig } from '../src/index.ts'

const base = `mcpServers:
  a: { command: x }
  b: { command: x, env: { T: 1 } }
  c: { url: "http://x" }
publish: [a, b]
groups: { g: [a], h: [b] }
hooks: { tools/call: [a/check, { target: b/check, priority: 1 }] }
permissions: { allow: [a], deny: [b/x] }
agents: { main: { instructions: Help., tools: [a], permissions: { allow: [a] } }, other: }
models: { default: local/x, providers: { local: { baseUrl: "http://x", key: k3y } }, prices: { local/*: { input: 1, output: 1 } } }
prompts: { hi: Hello, bye: Bye }
env: { T: { optional: true }, U: { optional: true } }
http: { listen: "127.0.0.1:1", allowedHosts: [x], keys: [{ name: k, key: 0123456789abcdefg }] }
log: { level: info }
state: /s
`

/** What differs, without what does not. */
function diff(before: string, after: string) {
  const parse = (text: string) => parseConfig(text, { file: '/m.yaml' })
  const { none, ...changes } = diffConfiguration(parse(before), parse(after))
  const told = Object.entries(changes).filter(([, change]) => {
    if (typeof change === 'boolean') return change
    return Object.values(change).flat().length > 0
  })
  expect(none).toBe(told.length === 0)
  return Object.fromEntries(told)
}

test('the same said otherwise is the same', () => {
  const other = base.replace(
    'a: { command: x }',
    '\n  # The first.\n  a:\n    type: stdio\n    command: "x"',
  )
  expect(diff(base, other)).toEqual({})
})

test('servers, by name', () => {
  const after = base.replace('T: 1', 'T: 2').replace('c: { url', 'd: { url')
  expect(diff(base, after)).toEqual({
    servers: { added: ['d'], removed: ['c'], changed: ['b'] },
  })
})

test('agents, by name: whatever is said of one', () => {
  expect(diff(base, base.replace('Help.', 'Answer.'))).toEqual({
    agents: { added: [], removed: [], changed: ['main'] },
  })
  const allowed = base.replace('{ allow: [a] }', '{ allow: [b] }')
  expect(diff(base, allowed)).toEqual({ agents: { added: [], removed: [], changed: ['main'] } })
  const moved = base.replace('agents: {', 'agents:\n    {')
  expect(diff(base, moved)).toEqual({})
  const more = base.replace('other:', 'third: { default: true }')
  expect(diff(base, more)).toEqual({
    agents: { added: ['third'], removed: ['other'], changed: [] },
    entrypoints: true,
  })
})

test('models, prompts and variables', () => {
  const after = base
    .replace('default: local/x', 'default: local/y')
    .replace('k3y', 'other')
    .replace('hi: Hello', 'hi: Hi')
    .replace('bye: Bye', 'later: Bye')
    .replace('T: { optional: true }', 'T: { optional: true, default: x }')
  expect(diff(base, after)).toEqual({
    models: true,
    providers: { added: [], removed: [], changed: ['local'] },
    prompts: { added: ['later'], removed: ['bye'], changed: ['hi'] },
    variables: { added: [], removed: [], changed: ['T'] },
  })
  expect(diff(base, base.replace('input: 1,', 'input: 2,'))).toEqual({ models: true })
})

test('who sees what, and what happens when', () => {
  const after = base
    .replace('publish: [a, b]', 'publish: [a]')
    .replace('{ g: [a], h: [b] }', '{ g: [b], i: [b] }')
    .replace('priority: 1', 'priority: 2')
    .replace('[a/check,', '[a/other,')
    .replace('allow: [a], deny: [b/x]', 'ask: [a], deny: [b/x]')
    .replace('level: info', 'level: debug')
  expect(diff(base, after)).toMatchInlineSnapshot(`
    {
      "groups": {
        "added": [
          "i",
        ],
        "changed": [
          "g",
        ],
        "removed": [
          "h",
        ],
      },
      "hooks": {
        "added": [
          "tools/call a/other",
        ],
        "changed": [
          "tools/call b/check",
        ],
        "removed": [
          "tools/call a/check",
        ],
      },
      "log": true,
      "permissions": {
        "added": [
          "ask a",
        ],
        "changed": [],
        "removed": [
          "allow a",
        ],
      },
      "publish": true,
    }
  `)
})

test('keys, by name: a new secret is a change, and nobody asked or everybody needs a restart', () => {
  expect(diff(base, base.replace('abcdefg', 'abcdefh'))).toEqual({
    keys: { added: [], removed: [], changed: ['k'] },
  })
  expect(diff(base, base.replace(', keys: [{ name: k, key: 0123456789abcdefg }]', ''))).toEqual({
    keys: { added: [], removed: ['k'], changed: [] },
    needRestart: ['http.keys'],
  })
})

test('what needs a restart', () => {
  const after = base.replace('127.0.0.1:1', '127.0.0.1:2').replace('/s', '/t').replace('[x]', '[y]')
  expect(diff(base, after)).toEqual({
    http: ['allowedHosts'],
    needRestart: ['http.listen', 'state'],
  })
})
