import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runMobius } from './support/mobius.ts'

// Every snapshot is what a person reads: change one only after reading it as that person.

const script = fileURLToPath(new URL('support/bad-servers.mjs', import.meta.url))

async function outputOf(args: string[], files: Record<string, string>): Promise<string> {
  const { code, stdout, stderr, folder } = await runMobius(args, { files })
  const text = `${stdout}${stderr}`.replaceAll(folder, '').replaceAll(process.execPath, 'node')
  return `${text.replaceAll(script, 'bad-servers.mjs')}exit code ${code}\n`
}

describe('a configuration that cannot be used', () => {
  test.each([
    ['syntax', 'mcpServers:\n  files: { command: ls\n  notes: [\n'],
    ['unknown key', 'mcpServers:\n  files: { comand: ls }\nhook: {}\n'],
    [
      'wrong type',
      'mcpServers:\n  files: { command: [ls], args: -la, timeouts: { request: soon } }\n',
    ],
    [
      'unset variable',
      'mcpServers:\n  files:\n    command: ls\n    env: { KEY: "${NOT_SET_HERE}", URL: "${ALSO_NOT:?ask Anna for it}" }\n',
    ],
    ['duplicate names', 'mcpServers:\n  files: { command: ls }\n  files: { command: cat }\n'],
    ['reserved names', 'mcpServers:\n  meta: { command: ls }\n'],
    [
      'missing hook target',
      'mcpServers:\n  files: { command: ls }\nhooks:\n  tools/call: [polcy/check, files/check]\n',
    ],
    ['a rule that is none', 'permissions:\n  deny: ["files/(", "fils/*"]\n'],
    [
      'a hook’s condition that is none',
      'mcpServers:\n  files: { command: ls }\nhooks:\n  tools/call: [{ target: files/check, if: "files/say(a=1)" }]\n',
    ],
    [
      'a duration that is none',
      'mcpServers:\n  files: { command: ls, timeouts: { request: 5 parsecs } }\n',
    ],
    ['extends itself', 'extends: ./mobius.yaml\n'],
  ])('%s', async (_, text) => {
    expect(
      await outputOf(['serve', '-l', '127.0.0.1:0'], { 'mobius.yaml': text }),
    ).toMatchSnapshot()
  })

  test('a profile that is not there', async () => {
    const files = { 'mobius.yaml': 'profiles: { work: {} }\n' }
    expect(await outputOf(['serve', '--profile', 'wrok'], files)).toMatchSnapshot()
  })
})

describe('an address that cannot be used', () => {
  test('port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const output = await outputOf(['serve', '-l', `127.0.0.1:${port}`], {})
    taken.close()
    expect(output.replaceAll(String(port), 'PORT')).toMatchSnapshot()
  })

  test.each([
    ['open bind', 'http: { listen: 0.0.0.0:0 }'],
    ['no address', 'http: { listen: nowhere:99999 }'],
  ])('%s', async (_, text) => {
    expect(await outputOf(['serve'], { 'mobius.yaml': text })).toMatchSnapshot()
  })
})

test('servers that do not work, each with its reason and what to do', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  await once(closed.close(), 'close')
  const bad = (way: string) => ({ command: process.execPath, args: [script, way] })
  const mcpServers = {
    'no command': { command: 'no-such-command-at-all' },
    'garbage on stdout': bad('prints'),
    'never answers': bad('is-silent'),
    'ends at once': bad('exits'),
    'answers and exits': bad('answers-and-exits'),
    'nobody there': { url: `http://127.0.0.1:${port}/mcp` },
  }
  const files = { 'mobius.yaml': JSON.stringify({ mcpServers }) }
  const output = await outputOf(['doctor', '--timeout', '1500ms'], files)
  expect(output.replaceAll(String(port), 'PORT')).toMatchSnapshot()
})
