// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../src/index.ts'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const connectionOf = async (...loading: Parameters<typeof loadFiles>) =>
  (await loadFiles(...loading)).servers[0]?.connection

describe('several files', () => {
  test('the later ones win, key by key', async () => {
    const files = {
      '/a.yaml':
        'mcpServers: { a: { command: x, args: [1, 2], env: { A: 1, B: 2 } }, b: { command: y } }',
      '/sub/b.yaml': 'mcpServers: { a: { args: [3], env: { B: 3, C: 4 }, sharing: process } }',
    }
    const { servers, file, provenance } = await loadFiles(files, ['/a.yaml', '/sub/b.yaml'])
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(servers[0]).toMatchObject({
      connection: { command: 'x', args: ['3'], env: { A: '1', B: '3', C: '4' }, cwd: '/' },
      sharing: 'process',
    })
    expect(file).toBe('/a.yaml')
    expect(provenance(['mcpServers', 'a', 'env', 'B'])).toEqual({
      file: '/sub/b.yaml',
      line: 1,
      column: 41,
      references: [],
    })
    expect(provenance(['mcpServers', 'a', 'command'])?.file).toBe('/a.yaml')
    expect(provenance(['http', 'listen'])).toBeUndefined()
  })

  test('what restricts adds up, so that no later file lifts it by accident', async () => {
    const files = {
      '/a.yaml': `mcpServers: { a: { command: x } }
permissions: { allow: [a/x], deny: [a/y] }
publish: { include: [a], exclude: [a/secret] }
hooks: { tools/call: [a/check] }`,
      '/b.yaml': `permissions: { allow: [a/z], deny: [a/w] }
publish: { include: [a/x], exclude: [a/other] }
hooks: { tools/call: ["!mutate:a/look"] }`,
    }
    const { permissions, publish, hooks } = await loadFiles(files, ['/a.yaml', '/b.yaml'])
    expect(permissions.deny.map(({ text, file }) => [text, file])).toEqual([
      ['a/y', '/a.yaml'],
      ['a/w', '/b.yaml'],
    ])
    expect(permissions.allow.map(({ text }) => text)).toEqual(['a/z'])
    expect(publish.refs).toEqual(['a/x', '!a/secret', '!a/other'])
    expect(hooks.map(({ target }) => target.tool)).toEqual(['check', 'look'])
  })

  test('null takes away, and another way to reach a server replaces the first', async () => {
    const files = {
      '/a.yaml': 'mcpServers: { a: { type: stdio, command: x, args: [1] }, b: { command: y } }',
      '/b.yaml': 'mcpServers: { a: { url: "http://x" }, b: null }',
    }
    const { servers } = await loadFiles(files, ['/a.yaml', '/b.yaml'])
    expect(servers.map(({ name, connection }) => [name, connection])).toEqual([
      ['a', { type: 'http', url: 'http://x', headers: {} }],
    ])
  })

  test('everything that is wrong in any of them is told at once', async () => {
    const files = {
      '/a.yaml': 'a: b: c',
      '/b.yaml': 'mcpServers: { b: { comand: x } }',
      '/c.yaml': 'x: 1',
    }
    expect(await refusalOf(files, ['/a.yaml', '/b.yaml', '/c.yaml'])).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /a.yaml:1:4: not valid YAML: a second key on one line; put text that holds ": " in quotes
        /b.yaml:1:20: mcpServers.b.comand: unknown key; did you mean command?
        /c.yaml:1:1: x: unknown key; known here: mcpServers, agents, models, prompts, env, publish, groups, hooks, permissions, http, log, state"
    `)
  })
})

describe('extends', () => {
  test('starts from other files, which start from others', async () => {
    const files = {
      '/w/mobius.yaml': 'extends: [shared/base.yaml]\nmcpServers: { a: { args: [mine] } }',
      '/w/shared/base.yaml': 'extends: ../root.yaml\nmcpServers: { a: { command: ./run } }',
      '/w/root.yaml': 'mcpServers: { a: { env: { A: 1 } } }',
    }
    expect(await connectionOf(files, '/w/mobius.yaml')).toMatchObject({
      command: './run',
      args: ['mine'],
      env: { A: '1' },
      // A relative program is meant from the file that names it.
      cwd: '/w/shared',
    })
    const { files: read } = await loadFiles(files, '/w/mobius.yaml')
    expect([...read].sort()).toEqual(['/w/mobius.yaml', '/w/root.yaml', '/w/shared/base.yaml'])
  })

  test('a ring, a missing file and one that is not YAML are named where they are', async () => {
    const ring = { '/a.yaml': 'extends: b.yaml', '/b.yaml': 'log: {}\nextends: [./a.yaml]' }
    expect(await refusalOf(ring, '/a.yaml')).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /b.yaml:2:11: extends[0]: a ring of files, of which one must not extend the next: /a.yaml -> /b.yaml -> /a.yaml"
    `)
    const missing = { '/a.yaml': 'extends:\n  - nowhere.yaml\n  - https://x/y.yaml\n  - ${FILE}' }
    expect(await refusalOf(missing, '/a.yaml')).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /a.yaml:2:5: extends[0]: /nowhere.yaml cannot be read: no such file
        /a.yaml:3:5: extends[1]: https://x/y.yaml cannot be read: a configuration is read from files only; fetch it first
        /a.yaml:4:5: extends[2]: expected the path of a file, written out"
    `)
    expect(
      await refusalOf({ '/a.yaml': 'extends: b.yaml', '/b.yaml': 'a: b: c' }, '/a.yaml'),
    ).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /b.yaml:1:4: not valid YAML: a second key on one line; put text that holds ": " in quotes"
    `)
  })
})

describe('profiles', () => {
  const files = {
    '/a.yaml': `mcpServers: { a: { command: x } }
profiles:
  test: { mcpServers: { a: { args: [t] } }, log: { level: debug } }
  slow: { mcpServers: { a: { args: [s] } } }
`,
  }

  test('are laid over in the order that was asked for', async () => {
    expect(await connectionOf(files, '/a.yaml')).toMatchObject({ args: [] })
    const both = await loadFiles(files, '/a.yaml', { profiles: ['test', 'slow'] })
    expect(both.servers[0]?.connection).toMatchObject({ args: ['s'] })
    expect(both.log).toEqual({ level: 'debug' })
    expect(both.profiles).toEqual(['test', 'slow'])
    expect(both.provenance(['log', 'level'])).toMatchObject({ line: 3 })
  })

  test('one that nobody has is named, unless it need not be there', async () => {
    expect(await refusalOf(files, '/a.yaml', { profiles: ['tset'] })).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /a.yaml:2:1: profiles: there is no profile "tset"; did you mean test?"
    `)
    expect(await connectionOf(files, '/a.yaml', { profiles: ['other?'] })).toMatchObject({
      args: [],
    })
  })

  test('what is wrong in one is told with its place', async () => {
    const wrong = { '/a.yaml': 'profiles:\n  test:\n    extends: x\n    log: { levl: debug }\n' }
    expect(await refusalOf(wrong, '/a.yaml', { profiles: ['test'] })).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /a.yaml:3:5: profiles.test.extends: has no meaning within a profile
        /a.yaml:4:12: profiles.test.log.levl: unknown key; did you mean level?"
    `)
  })
})

describe('a folder', () => {
  test('stands for the file in it, and what is not yet honoured is named', async () => {
    const files = {
      '/m/mobius.yaml': 'mcpServers: { a: { command: x } }',
      '/m/.mcp.json': '{}',
      '/m/agents/main.md': '',
      '/m/agents/.hidden.md': '',
      '/m/agents/notes.txt': '',
      '/m/skills/pdf/SKILL.md': '',
      '/m/workflows/report.md': '',
      '/m/hooks/guard.js': '',
    }
    const configuration = await loadFiles(files, '/m')
    expect(configuration).toMatchObject({
      file: '/m/mobius.yaml',
      servers: [{ name: 'a' }],
      agents: [{ name: 'main' }],
    })
    expect([...configuration.folders].sort()).toEqual([
      '/m',
      '/m/agents',
      '/m/hooks',
      '/m/skills',
      '/m/workflows',
    ])
    expect(warningsOf(configuration)).toMatchInlineSnapshot(`
      [
        "/m/.mcp.json: not read: mobius.yaml stands beside it",
        "/m/skills: not yet honoured: pdf",
        "/m/workflows: not yet honoured: report",
        "/m/hooks: not yet honoured: guard.js",
      ]
    `)
  })

  test('of another client is read as it is', async () => {
    const files = { '/m/.mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' }
    expect(await connectionOf(files, '/m')).toMatchObject({ command: 'x', cwd: '/m' })
  })
})

test('no path at all configures nothing', async () => {
  expect(await loadConfig([])).toMatchObject({ file: undefined, files: [], servers: [], hooks: [] })
})

test('a URL is fetched by whoever wants it', async () => {
  await expect(loadConfig('https://x/mobius.yaml')).rejects.toThrow('read from files only')
})
