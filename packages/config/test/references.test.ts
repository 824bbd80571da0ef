// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import { loadConfig, revealConnection } from '../src/index.ts'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const header = (value: string) =>
  `mcpServers: { a: { url: "http://x", headers: { A: "${value}" } } }`

async function headerOf(value: string, options: Parameters<typeof loadFiles>[2] = {}) {
  const files = {
    '/w/mobius.yaml': header(value),
    '/w/secrets/token': ' t0ken\n',
    '/home/me/token': 'mine',
  }
  const { servers } = await loadFiles(files, '/w/mobius.yaml', options)
  const connection = servers[0] && revealConnection(servers[0].connection)
  return connection && 'headers' in connection ? connection.headers.A : undefined
}

describe('a value may stand', () => {
  const env = { TOKEN: 'v', EMPTY: '', HOME: '/home/me' }

  test.each([
    ['${TOKEN}', 'v'],
    ['Bearer ${TOKEN}', 'Bearer v'],
    ['${NONE:-fallback}', 'fallback'],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${NONE:-}', ''],
    ['${TOKEN:?needed}', 'v'],
    ['env:TOKEN', 'v'],
    ['${env:TOKEN}', 'v'],
    ['file:secrets/token', 't0ken'],
    ['Bearer ${file:secrets/token}', 'Bearer t0ken'],
    ['file:~/token', 'mine'],
    ['$${TOKEN}', '${TOKEN}'],
  ])('elsewhere: %s', async (value, expected) => {
    expect(await headerOf(value, { env })).toBe(expected)
  })

  test('with a program, for a file that somebody named', async () => {
    const run = async (program: string, args: readonly string[]) =>
      `${program}(${args.join('|')})\n`
    const options = { run, allowExec: true }
    expect(await headerOf("exec:op read 'op://a b/c' --x", options)).toBe('op(read|op://a b/c|--x)')
    expect(await headerOf('Bearer ${exec:pass show x}', options)).toBe('Bearer pass(show|x)')
  })

  test('what is put in is not looked into', async () => {
    expect(await headerOf('${TOKEN}', { env: { TOKEN: '${HOME} file:x' } })).toBe('${HOME} file:x')
  })

  test('and provenance names where, without the arguments of a program', async () => {
    const files = { '/w/m.yaml': header('${TOKEN} ${file:t} ${exec:op s3cret}'), '/w/t': 'x' }
    const options = { env, allowExec: true, run: async () => 'y' }
    const { provenance, files: read } = await loadFiles(files, '/w/m.yaml', options)
    const { references } = provenance(['mcpServers', 'a', 'headers', 'A']) ?? {}
    expect(references).toEqual(['TOKEN', 'file:t', 'exec:op'])
    expect(read).toEqual(['/w/m.yaml', '/w/t'])
  })
})

test('what cannot be had is told with all the rest', async () => {
  const text = `mcpServers:
  a:
    url: http://x
    headers:
      A: "\${NONE}"
      B: "\${NONE:?ask the operator}"
      C: file:nowhere
      D: exec:op read
      E: "\${file:empty}"
      F: "\${oops"
`
  expect(
    await refusalOf({ '/w/m.yaml': text, '/w/empty': '\n' }, '/w/m.yaml'),
  ).toMatchInlineSnapshot(`
    "Could not use the configuration /w/m.yaml:
      /w/m.yaml:5:10: mcpServers.a.headers.A: the variable NONE is not set; set it, or write \${NONE:-default} for a value without it
      /w/m.yaml:6:10: mcpServers.a.headers.B: the variable NONE is not set: ask the operator
      /w/m.yaml:7:10: mcpServers.a.headers.C: the file /w/nowhere cannot be read: no such file
      /w/m.yaml:8:10: mcpServers.a.headers.D: a program is run only for a file that you name yourself: on the command line or in MOBIUS_CONFIG
      /w/m.yaml:9:10: mcpServers.a.headers.E: the file /w/empty is empty
      /w/m.yaml:10:10: mcpServers.a.headers.F: expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received one without its }; write $\${ where the text itself is meant"
  `)
})

test('a server that is off needs nothing', async () => {
  const text = 'mcpServers: { a: { command: "${NONE}", env: { A: "${exec:x}" }, enabled: false } }'
  const { servers } = await loadFiles({ '/m.yaml': text }, '/m.yaml')
  expect(servers).toMatchObject([{ name: 'a', disabled: true }])
})

test('a literal that was probably meant as a reference is named', async () => {
  const text = 'mcpServers: { a: { command: x, env: { A: "env:TOKEN", B: "file:./dev.db" } } }'
  expect(warningsOf(await loadFiles({ '/m.yaml': text }, '/m.yaml'))).toMatchInlineSnapshot(`
    [
      "/m.yaml:1:39: mcpServers.a.env.A: is handed on as it is; write \${env:…} where a reference is meant",
    ]
  `)
})

test.runIf(process.platform === 'linux')(
  'a real program, and what may go wrong with it',
  async () => {
    await using folder = await openTemporaryFolder()
    const file = join(folder.path, 'mobius.yaml')
    const script = join(folder.path, 'secret.sh')
    await writeFile(
      script,
      '#!/bin/sh\necho "key-$1-0123456789"; echo noise-s3cret >&2; exit "${2:-0}"\n',
    )
    await chmod(script, 0o755)
    const load = async (command: string) => {
      await writeFile(file, `http: { keys: [{ name: k, key: "exec:${command}" }] }`)
      const options = { allowExec: true, env: { PATH: process.env.PATH } }
      const loading = loadConfig(file, options).then(({ http }) => http.keys[0]?.key, String)
      return (await loading)?.replaceAll(folder.path, '.')
    }
    expect(await load('./secret.sh one')).toBe('key-one-0123456789')
    expect(await load('./secret.sh one 3')).toMatchInlineSnapshot(`
      "ConfigError: Could not use the configuration ./mobius.yaml:
        ./mobius.yaml:1:32: http.keys[0].key: the program ./secret.sh gave no value: it ended with exit code 3; run it yourself to see why"
    `)
    expect(await load('nowhere-at-all')).toContain('there is no such program')
    expect(await load('true')).toContain('printed nothing')
    expect(await load("sh 'x")).toContain('with every quote closed')
  },
)
