import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connectClient } from './support/client.ts'
import { runMobius, startMobius, startServing } from './support/mobius.ts'

const script = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))

/** Runs several commands in one folder, and gives the file that they leave. */
async function edited(text: string | undefined, ...commands: string[][]): Promise<string> {
  await using first = await startMobius(commands[0] ?? [], {
    files: text === undefined ? {} : { 'mobius.yaml': text },
  })
  expect(await first.ended()).toBe(0)
  for (const command of commands.slice(1)) {
    await using next = await startMobius([...command, '-c', join(first.folder, 'mobius.yaml')])
    expect(await next.ended()).toBe(0)
  }
  return await readFile(join(first.folder, 'mobius.yaml'), 'utf8')
}

test('add writes a command or a URL, and comments stay', async () => {
  const before = `# Ours. Ask Anna before editing.
mcpServers:
  notes: { command: notes } # the old one
`
  const text = await edited(
    before,
    ['add', 'files', '-e', 'ROOT=/data', '--', 'npx', '-y', '@example/files'],
    ['add', 'docs', 'https://docs.example/mcp', '-H', 'Authorization: Bearer ${DOCS_TOKEN}'],
  )
  expect(text).toMatchInlineSnapshot(`
    "# Ours. Ask Anna before editing.
    mcpServers:
      notes: { command: notes } # the old one
      files:
        command: npx
        args:
          - -y
          - "@example/files"
        env:
          ROOT: /data
      docs:
        url: https://docs.example/mcp
        headers:
          Authorization: Bearer \${DOCS_TOKEN}
    "
  `)
})

test('add makes a file where there is none, and remove takes out what was added', async () => {
  const text = await edited(
    undefined,
    ['add', 'files', 'cat'],
    ['add', 'more', 'cat'],
    ['remove', 'files'],
  )
  expect(text).toMatchInlineSnapshot(`
    "mcpServers:
      more:
        command: cat
    "
  `)
})

test.each([
  ['a name that is taken', ['add', 'notes', 'cat']],
  ['a name that is not there', ['remove', 'nots']],
  ['a reserved name', ['add', 'meta', 'cat']],
  ['a variable that is none', ['add', 'files', '-e', 'ROOT', '--', 'cat']],
  ['headers of a command', ['add', 'files', '-H', 'a: b', '--', 'cat']],
])('%s is refused, and the file is as it was', async (_, args) => {
  const before = 'mcpServers: { notes: { command: notes } }\n'
  await using mobius = await startMobius(args, { files: { 'mobius.yaml': before } })
  expect(await mobius.ended()).toBe(2)
  expect(await readFile(join(mobius.folder, 'mobius.yaml'), 'utf8')).toBe(before)
  expect(mobius.output.stderr.replaceAll(mobius.folder, '')).toMatchSnapshot()
})

test('what a variable is to hold may come later: it is said, and editing goes on', async () => {
  const reference = '$' + '{NOT_SET_HERE}'
  await using first = await startMobius([
    'add',
    'docs',
    'https://docs.example/mcp',
    '-H',
    `Authorization: ${reference}`,
  ])
  expect(await first.ended()).toBe(0)
  expect(first.output.stderr).toContain('Before it can be used:')
  expect(first.output.stderr).toContain('the variable NOT_SET_HERE is not set')
  const more = await runMobius(['add', 'files', 'cat'], { cwd: first.folder })
  expect(more.code).toBe(0)
  const text = await readFile(join(first.folder, 'mobius.yaml'), 'utf8')
  expect(text).toContain(reference)
  expect(text).toContain('files:')
})

test('a gateway that runs takes over what is added', async () => {
  await using mobius = await startServing([], { files: { 'mobius.yaml': '# nothing yet\n' } })
  const added = await runMobius(
    ['add', 'held', '-c', join(mobius.folder, 'mobius.yaml'), '--', process.execPath, script],
    { env: { MOBIUS_STATE: join(mobius.folder, 'state') } },
  )
  expect(added.stderr).toContain('The gateway that runs takes it over.')
  await mobius.said(/Configuration: server held: added/)
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('held__say')
})
