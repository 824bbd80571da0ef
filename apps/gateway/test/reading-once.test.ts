import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startMobius, startServing } from './support/mobius.ts'

const heldServer = fileURLToPath(new URL('support/held-server.mjs', import.meta.url))

/** Leaves a line for each time that it runs: the process that ran it. */
const program = `
import { appendFileSync } from 'node:fs'
appendFileSync(new URL('runs', import.meta.url), process.ppid + '\\n')
process.stdout.write('token')
`

/** A folder with a configuration that runs a program, and says itself where state is kept. */
async function openStage() {
  const { path: cwd, remove } = await mkdtempDisposable(join(tmpdir(), 'mobius-'))
  const write = (version: string) => {
    const env = { GATE: './open', VERSION: version, TOKEN: '${exec:node program.mjs}' }
    const held = { command: process.execPath, args: [heldServer], env }
    return writeFile(
      join(cwd, 'mobius.yaml'),
      JSON.stringify({ state: 'kept', mcpServers: { held } }),
    )
  }
  await writeFile(join(cwd, 'program.mjs'), program)
  await write('v1')
  return {
    write,
    options: { cwd, env: { MOBIUS_STATE: '', MOBIUS_CONFIG: 'mobius.yaml' } },
    open: () => writeFile(join(cwd, 'open'), ''),
    /** How often the process ran the program. */
    async runsOf(pid: number | undefined): Promise<number> {
      const runs = await readFile(join(cwd, 'runs'), 'utf8')
      return runs.split('\n').filter((line) => line === String(pid)).length
    },
    [Symbol.asyncDispose]: remove,
  }
}

test.each([
  [['call', 'held/say', '{}']],
  [['tools']],
  [['servers']],
  [['stdio']],
  [['doctor']],
  [['questions']],
  [['config', 'check']],
])('%j reads the configuration once, also where it says where state is', async (args) => {
  await using stage = await openStage()
  await using mobius = await startMobius(args, stage.options)
  mobius.child.stdin?.end()
  await mobius.ended()
  expect(await stage.runsOf(mobius.child.pid)).toBe(1)
})

test('a command that ends by itself does not follow the files', async () => {
  await using stage = await openStage()
  const state = { MOBIUS_STATE: join(stage.options.cwd, 'of-its-own') }
  await using call = await startMobius(['call', 'held/hold', '--verbose'], stage.options)
  await call.said(/holds 1/)
  await using serving = await startServing([], {
    ...stage.options,
    env: { ...stage.options.env, ...state },
  })
  await stage.write('v2')
  await serving.said(/Configuration: server held: changed/)
  await stage.open()
  expect(await call.ended()).toBe(0)
  expect(call.output.stdout).toBe('v1\n')
  expect(await stage.runsOf(call.child.pid)).toBe(1)
  expect(await stage.runsOf(serving.child.pid)).toBeGreaterThan(1)
})
