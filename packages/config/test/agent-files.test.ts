// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { describe, expect, test } from 'vitest'
import { reveal } from '../src/index.ts'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const main = `---
title: Main agent
tools: [files]
permissions:
  allow: [files]
---

You help.

--- Not the end of anything ---
`

const mobius = 'mcpServers: { files: { command: x } }'

test('an agent in Markdown is its front matter, and the text below is its instructions', async () => {
  const files = { '/m/mobius.yaml': mobius, '/m/agents/main.md': main }
  const configuration = await loadFiles(files, '/m')
  expect(configuration.agents).toMatchObject([
    {
      name: 'main',
      title: 'Main agent',
      tools: ['files'],
      instructions: 'You help.\n\n--- Not the end of anything ---',
    },
  ])
  expect(configuration.agents[0]?.permissions.allow).toEqual([
    { text: 'files', file: '/m/agents/main.md', line: 5, column: 11 },
  ])
  expect(configuration).toMatchObject({ file: '/m/mobius.yaml', warnings: [] })
  expect(configuration.files).toContain('/m/agents/main.md')
  expect(configuration.provenance(['agents', 'main', 'instructions'])).toMatchObject({
    file: '/m/agents/main.md',
    line: 8,
    column: 1,
  })
})

describe('every text is an agent or is refused with a place:', () => {
  const agentsOf = async (text: string) => {
    const { agents } = await loadFiles({ '/m/agents/a.md': text }, '/m')
    return agents.map(({ name, title, instructions }) => [name, title, instructions])
  }

  test.each([
    ['without front matter', 'You help.', [['a', undefined, 'You help.']]],
    ['without text', '---\ntitle: A\n---\n', [['a', 'A', undefined]]],
    ['with nothing at all', '', [['a', undefined, undefined]]],
    ['with empty front matter', '---\n---\nText', [['a', undefined, 'Text']]],
    [
      'with Windows line ends',
      '---\r\ntitle: A\r\n---\r\nText\r\nmore',
      [['a', 'A', 'Text\nmore']],
    ],
    ['with a byte order mark', '\uFEFF---\ntitle: A\n---\nText', [['a', 'A', 'Text']]],
    ['with spaces about the last line', '---\ntitle: A\n  ---  \nText', [['a', 'A', 'Text']]],
    ['with a rule in its text', 'Text\n---\nmore', [['a', undefined, 'Text\n---\nmore']]],
  ])('%s', async (_, text, expected) => {
    expect(await agentsOf(text)).toEqual(expected)
  })

  test.each([
    ['front matter that never ends', '---\ntitle: A\n'],
    ['front matter that is no YAML', '---\ntitle: "A\n---\nText'],
    ['front matter that is a list', '---\n- title\n---\nText'],
    ['an unknown key', '---\nmodel: mini\ntolos: [x]\n---\nText'],
  ])('%s', async (_, text) => {
    expect(await refusalOf({ '/m/agents/a.md': text }, '/m')).toMatchSnapshot()
  })
})

test('only Markdown in the folder itself counts, but for README.md and hidden files', async () => {
  const files = {
    '/m/agents/b.md': 'B',
    '/m/agents/a.md': 'A',
    '/m/agents/ReadMe.md': 'x',
    '/m/agents/.hidden.md': 'x',
    '/m/agents/notes.txt': 'x',
    '/m/agents/deep/c.md': 'x',
  }
  const { agents, entrypoints, file } = await loadFiles(files, '/m')
  expect(agents.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(entrypoints).toEqual(['a', 'b'])
  expect(file).toBe('/m')
})

test('the default agent comes first, and subagents are not published', async () => {
  const files = {
    '/m/mobius.yaml': mobius,
    '/m/agents/a.md': '---\nmode: all\n---\nA',
    '/m/agents/b.md': '---\nmode: primary\ndefault: true\n---\nB',
    '/m/agents/c.md': '---\nmode: subagent\n---\nC',
    '/m/agents/d.md': '---\nmode: ""\n---\nD',
  }
  const { entrypoints, publish } = await loadFiles(files, '/m')
  expect(entrypoints).toEqual(['b', 'a', 'd'])
  expect(publish.refs).toEqual(['files', 'a', 'b', 'd'])
})

test('two defaults, and a subagent as the default, are told with their files', async () => {
  const files = {
    '/m/agents/a.md': '---\ndefault: true\n---\n',
    '/m/agents/b.md': '---\ndefault: true\n---\n',
    '/m/agents/c.md': '---\ndefault: true\nmode: subagent\n---\n',
    '/m/agents/d.md': '---\nmode: boss\n---\n',
  }
  expect(await refusalOf(files, '/m')).toMatchInlineSnapshot(`
    "Could not use the configuration /m:
      /m/agents/b.md:2:1: default: a is the default agent already; one of the two must go
      /m/agents/c.md:2:1: default: c is a subagent, which people do not chat with; one of mode and default must go
      /m/agents/d.md:2:7: mode: expected chat or subagent, received "boss""
  `)
})

test('an agent with a file of its own is what that file says, and the other is named', async () => {
  const files = {
    '/m/mobius.yaml': 'agents: { a: { title: Old, model: mini }, b: { title: Other } }',
    '/m/agents/a.md': '---\ntitle: New\n---\n',
  }
  const configuration = await loadFiles(files, '/m')
  expect(configuration.agents).toMatchObject([
    { name: 'a', title: 'New' },
    { name: 'b', title: 'Other' },
  ])
  expect(configuration.agents[0]?.model).toBeUndefined()
  expect(warningsOf(configuration)).toEqual([
    '/m/mobius.yaml:1:11: agents.a: is not read: /m/agents/a.md says what a is',
  ])
})

test('a later file may change it', async () => {
  const files = {
    '/m/agents/a.md': '---\ntitle: A\n---\nText',
    '/over.yaml': 'agents: { a: { title: Over } }',
  }
  const { agents } = await loadFiles(files, ['/m', '/over.yaml'])
  expect(agents).toMatchObject([{ title: 'Over', instructions: 'Text' }])
})

test('a file may be named alone', async () => {
  const { agents, file } = await loadFiles({ '/a/helper.md': 'Help.' }, '/a/helper.md')
  expect(agents).toMatchObject([{ name: 'helper', instructions: 'Help.' }])
  expect(file).toBe('/a/helper.md')
})

test('the text below takes the place of instructions above, which is named', async () => {
  const files = { '/m/agents/a.md': '---\ninstructions: Above\n---\nBelow' }
  const configuration = await loadFiles(files, '/m')
  expect(configuration.agents).toMatchObject([{ instructions: 'Below' }])
  expect(warningsOf(configuration)).toEqual([
    '/m/agents/a.md:2:1: instructions: is not read: the text below says it',
  ])
  const alone = { '/m/agents/a.md': '---\ninstructions: Above\n---\n' }
  expect((await loadFiles(alone, '/m')).agents).toMatchObject([{ instructions: 'Above' }])
})

test('into prose only declared variables are put: nothing of the environment gets there by accident', async () => {
  const files = {
    '/m/mobius.yaml': 'env: { TEAM: Who you are with }',
    '/m/agents/a.md':
      'With ${TEAM}. Run `echo ${HOME} ${X:-y} ${file:/etc/passwd} ${exec:id}`. Cost: $${5}, ${',
  }
  const env = { TEAM: 'web', HOME: '/home/me' }
  const configuration = await loadFiles(files, '/m', { env })
  const instructions = configuration.agents[0]?.instructions
  expect(reveal(instructions as string)).toBe(
    'With web. Run `echo ${HOME} ${X:-y} ${file:/etc/passwd} ${exec:id}`. Cost: ${5}, ${',
  )
  expect(warningsOf(configuration)).toMatchInlineSnapshot(`
    [
      "/m/agents/a.md:1:1: instructions: leaves \${HOME}, \${X…}, \${file…}, \${exec…} as written: into prose, only variables that env declares are put; write $\${ where the text is meant",
    ]
  `)
})
