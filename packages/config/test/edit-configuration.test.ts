// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import fc from 'fast-check'
import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { editJson } from '../src/edit/edit-json.ts'
import { editConfiguration, editConfigurationFile, parseConfig } from '../src/index.ts'

const add = (name: string, entry = { command: 'npx', args: ['-y', 'x'] }) =>
  ({ kind: 'add', name, entry }) as const
const remove = (name: string) => ({ kind: 'remove', name }) as const

function edit(text: string, ...edits: Parameters<typeof editConfiguration>[1]): string {
  return editConfiguration(text, edits, { file: 'mobius.yaml' })
}

const commented = `# Servers of the team.
mcpServers:
  # The first.
  files:   # keeps its odd   spaces
    command:   "npx"
    args: [-y,   'a b',
      c]

  # The second,
  # in two lines.
  search: { url: "https://x/mcp" }   # remote
# After all servers.
publish: [files, search]
`

describe('YAML', () => {
  test('a server is added after the others, and nothing else is touched', () => {
    const text = edit(commented, add('new'))
    expect(text).toMatchInlineSnapshot(`
      "# Servers of the team.
      mcpServers:
        # The first.
        files:   # keeps its odd   spaces
          command:   "npx"
          args: [-y,   'a b',
            c]

        # The second,
        # in two lines.
        search: { url: "https://x/mcp" }   # remote
        new:
          command: npx
          args:
            - -y
            - x
      # After all servers.
      publish: [files, search]
      "
    `)
    expect(edit(text, remove('new'))).toBe(commented)
  })

  test('one is removed with the comments right above it', () => {
    const text = commented.replace('publish: [files, search]\n', '')
    expect(edit(text, remove('search'))).toMatchInlineSnapshot(`
      "# Servers of the team.
      mcpServers:
        # The first.
        files:   # keeps its odd   spaces
          command:   "npx"
          args: [-y,   'a b',
            c]

      # After all servers.
      "
    `)
    expect(edit(text, remove('files'), remove('search'))).toMatchInlineSnapshot(`
      "# Servers of the team.
      mcpServers:

      # After all servers.
      "
    `)
  })

  test('one is replaced where it stands', () => {
    const replaced = edit(commented, { ...add('files', { command: 'y', args: [] }), replace: true })
    expect(replaced).toMatchInlineSnapshot(`
      "# Servers of the team.
      mcpServers:
        # The first.
        files:
          command: y
          args: []

        # The second,
        # in two lines.
        search: { url: "https://x/mcp" }   # remote
      # After all servers.
      publish: [files, search]
      "
    `)
  })

  test.each([
    ['an empty text', ''],
    ['comments alone', '# Nothing yet.\n'],
    ['other sections', 'log: { level: debug }'],
    ['servers that are all commented out', 'mcpServers:\n  # a: { command: x }\nlog: {}\n'],
    ['a map in brackets', 'mcpServers: { a: { command: x } } # one line\n'],
    ['a bare map', 'a:\n  command: x\n'],
    ['four spaces', 'mcpServers:\n    a:\n        command: x\n'],
    ['a block of text at the end', 'mcpServers:\n  a:\n    command: |\n      x\n'],
    ['no line break at the end', 'mcpServers:\n  a:\n    command: x'],
  ])('%s takes one', (_, text) => {
    expect(`\n${edit(text, add('b'))}`).toMatchSnapshot()
  })

  test('line breaks stay those of the file', () => {
    const text = commented.replaceAll('\n', '\r\n')
    const added = edit(text, add('new'))
    expect(added).toBe(edit(commented, add('new')).replaceAll('\n', '\r\n'))
    expect(edit(added, remove('new'))).toBe(text)
    const replacing = { ...add('files', { command: 'y', args: [] }), replace: true }
    expect(edit(text, replacing)).toBe(edit(commented, replacing).replaceAll('\n', '\r\n'))
  })

  test('what another place refers to is not taken away', () => {
    const text =
      'mcpServers:\n  a: { command: x, env: &e { K: v } }\n  b: { command: y, env: *e }\n'
    expect(() => edit(text, remove('a'))).toThrow(
      'holds an anchor (&) that another place refers to',
    )
    expect(edit(text, remove('b'))).toBe(`${text.split('\n').slice(0, 2).join('\n')}\n`)
  })

  test('an odd name is written so that it is read again', () => {
    const text = edit(commented, add('@scope/a b'), add('8'))
    const names = parseConfig(text, { file: 'f' }).servers.map(({ name }) => name)
    expect(names.sort()).toEqual(['8', '@scope/a b', 'files', 'search'])
  })
})

describe('JSON', () => {
  test('comments and indentation stay', () => {
    const text = `{
\t// The servers.
\t"mcpServers": {
\t\t"a": { "command": "x" }, // one
\t},
\t"globalShortcut": "x"
}
`
    const added = edit(text, add('b', { command: 'y', args: [] }))
    expect(added).toMatchInlineSnapshot(`
      "{
      	// The servers.
      	"mcpServers": {
      		"a": { "command": "x" }, // one
      		"b": {
      			"command": "y",
      			"args": []
      		},
      	},
      	"globalShortcut": "x"
      }
      "
    `)
    expect(edit(added, remove('a'))).toContain('// The servers.')
  })

  test('VS Code’s and a bare map take one where theirs stand', () => {
    expect(JSON.parse(edit('{"servers":{"a":{"command":"x"}}}', add('b')))).toEqual({
      servers: { a: { command: 'x' }, b: add('b').entry },
    })
    expect(JSON.parse(edit('{"a":{"command":"x"}}', add('b')))).toEqual({
      a: { command: 'x' },
      b: add('b').entry,
    })
    expect(JSON.parse(edit('{}', add('b')))).toEqual({ mcpServers: { b: add('b').entry } })
    expect(JSON.parse(editConfiguration('', [add('b')], { file: '.mcp.json' }))).toEqual({
      mcpServers: { b: add('b').entry },
    })
  })
})

test('whatever the text, an edit does what it says and undoes itself', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((text) => !reserved.includes(text))
  const entry = fc.record({
    command: fc.stringMatching(/^[\w #:'"-]{1,12}$/).filter((t) => t.trim() !== ''),
  })
  fc.assert(
    fc.property(
      fc.dictionary(name, entry, { minKeys: 1, maxKeys: 4 }),
      name,
      entry,
      (servers, extra, its) => {
        if (Object.hasOwn(servers, extra)) return
        const names = Object.keys(servers)
        const text = edit('# head\n', ...names.map((each) => add(each, servers[each] as never)))
        const more = edit(text, { kind: 'add', name: extra, entry: its })
        expect(serversOf(more)).toEqual({ ...serversOf(text), [extra]: its.command })
        expect(edit(more, remove(extra))).toBe(text)
      },
    ),
    { numRuns: 100 },
  )
})

test('the same in JSON, however it is indented, with comments or without', () => {
  const name = fc.stringMatching(/^[a-z]{1,4}-$/)
  const indent = fc.constantFrom('', '  ', '    ', '\t')
  const comment = fc.constantFrom('', ' // note, "x": 1', ' /* { */')
  const names = fc.uniqueArray(name, { maxLength: 4 })
  fc.assert(
    fc.property(names, name, indent, comment, fc.boolean(), (present, extra, step, note, crlf) => {
      if (present.includes(extra)) return
      const servers = Object.fromEntries(present.map((each) => [each, { command: each }]))
      const plain = JSON.stringify({ mcpServers: servers, theme: 'x' }, undefined, step)
      const noted = step === '' ? plain : plain.replace(/(},?)\n/g, `$1${note}\n`)
      const text = crlf ? noted.replaceAll('\n', '\r\n') : noted
      const added = editJson(text, ['mcpServers', extra], { command: extra })
      expect(parseJson(added)).toEqual({
        mcpServers: { ...servers, [extra]: { command: extra } },
        theme: 'x',
      })
      expect(parseJson(editJson(added, ['mcpServers', extra], undefined))).toEqual(parseJson(text))
      expect(added.split('// note').length).toBe(text.split('// note').length)
    }),
  )
})

function parseJson(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true })
  expect(errors).toEqual([])
  return value
}

const reserved = [
  'meta',
  'system',
  'workflows',
  'artifacts',
  'skills',
  'tasks',
  'registry',
  'handlers',
]

function serversOf(text: string): Record<string, string> {
  const { servers } = parseConfig(text, { file: 'f' })
  return Object.fromEntries(
    servers.map(({ name, connection }) => [
      name,
      'command' in connection ? connection.command : '',
    ]),
  )
}

describe('refused is', () => {
  const refusal = (text: string, ...edits: Parameters<typeof editConfiguration>[1]) => {
    try {
      return edit(text, ...edits)
    } catch (error) {
      return String(error)
    }
  }

  test('a name that is taken, and one that is not there', () => {
    expect(refusal(commented, add('files'))).toMatchInlineSnapshot(
      `"ConfigError: Could not use the configuration mobius.yaml: there is a server "files" already; remove it first, or choose another name"`,
    )
    expect(refusal(commented, remove('serch'))).toMatchInlineSnapshot(
      `"ConfigError: Could not use the configuration mobius.yaml: there is no server "serch" in this file; did you mean search?"`,
    )
  })

  test('what would come of it, if it cannot be used', () => {
    expect(refusal(commented, add('meta'))).toMatchInlineSnapshot(`
      "ConfigError: Could not use the configuration mobius.yaml:
        mobius.yaml:12:3: mcpServers.meta: meta is the name of a built-in server; choose another, such as my-meta"
    `)
    expect(
      refusal(commented, { kind: 'add', name: 'b', entry: { comand: 'x' } }),
    ).toMatchInlineSnapshot(`
      "ConfigError: Could not use the configuration mobius.yaml:
        mobius.yaml:13:5: mcpServers.b.comand: unknown key; did you mean command?"
    `)
    expect(refusal(commented, remove('search'))).toMatchInlineSnapshot(`
      "ConfigError: Could not use the configuration mobius.yaml:
        mobius.yaml:10:18: publish[1]: there is no server "search"; configured: files"
    `)
    expect(refusal('a: b: c', add('b'))).toMatchInlineSnapshot(`
      "ConfigError: Could not use the configuration mobius.yaml:
        mobius.yaml:1:4: not valid YAML: a second key on one line; put text that holds ": " in quotes"
    `)
  })

  test('but not a variable that is set later', () => {
    expect(edit('', { kind: 'add', name: 'b', entry: { command: '${LATER}' } })).toContain('LATER')
  })
})

describe('a file', () => {
  test('is written whole, keeps its mode, and a link stays one', async () => {
    await using folder = await openTemporaryFolder()
    const file = join(folder.path, 'real.yaml')
    const link = join(folder.path, 'mobius.yaml')
    await writeFile(file, commented)
    await chmod(file, 0o640)
    await symlink('real.yaml', link)
    await editConfigurationFile(link, [add('new')])
    expect(await readFile(file, 'utf8')).toBe(edit(commented, add('new')))
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    expect((await readdir(folder.path)).sort()).toEqual(['mobius.yaml', 'real.yaml'])
  })

  test('comes to be, for its owner alone', async () => {
    await using folder = await openTemporaryFolder()
    const file = join(folder.path, 'sub', 'mobius.yaml')
    await editConfigurationFile(file, [add('a')])
    expect(serversOf(await readFile(file, 'utf8'))).toEqual({ a: 'npx' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await editConfigurationFile(join(folder.path, 'sub'), [add('b')])
    expect(serversOf(await readFile(file, 'utf8'))).toEqual({ a: 'npx', b: 'npx' })
  })

  test('may lean on those that are loaded with it', async () => {
    await using folder = await openTemporaryFolder()
    const [first = '', second = ''] = ['a.yaml', 'b.yaml'].map((name) => join(folder.path, name))
    await writeFile(first, 'mcpServers: { base: { command: x } }')
    await writeFile(second, 'publish: [base]\n')
    await expect(editConfigurationFile(second, [add('a')])).rejects.toThrow('no server "base"')
    await editConfigurationFile(second, [add('a')], { paths: [first, second] })
    expect(await readFile(second, 'utf8')).toContain('npx')
  })

  test('may name what it extends, and stays as it was where it cannot be used', async () => {
    await using folder = await openTemporaryFolder()
    const file = join(folder.path, 'mobius.yaml')
    await writeFile(join(folder.path, 'base.yaml'), 'mcpServers: { base: { command: x } }')
    await writeFile(file, 'extends: base.yaml\npublish: [base]\n')
    await editConfigurationFile(file, [add('a')])
    const before = await readFile(file, 'utf8')
    await expect(editConfigurationFile(file, [add('tasks')])).rejects.toThrow('built-in server')
    expect(await readFile(file, 'utf8')).toBe(before)
  })
})
