import { probeCommand } from '@mobius-mcp/testing/fidelity/probe-process.ts'
import { expect, test } from 'vitest'
import { runMobius, startMobius } from './support/mobius.ts'

const files = {
  'mobius.yaml': JSON.stringify({
    mcpServers: {
      probe: probeCommand({ PROBE_TAG: 'probe' }),
      missing: { command: 'mobius-test-no-such-command' },
    },
  }).replace('"kind":"stdio",', ''),
}

test('call prints what the tool answers', async () => {
  const { code, stdout } = await runMobius(['call', 'probe/echo', '{"a":1}', '--json'], { files })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toHaveProperty('content')
})

test('call of a built-in server goes the same way', async () => {
  const { code, stdout } = await runMobius(['call', 'meta/list_servers', '{"state":"idle"}'], {
    files,
  })
  expect(code).toBe(0)
  const { servers } = JSON.parse(stdout) as { servers: { name: string }[] }
  expect(servers.map(({ name }) => name)).toEqual(['assistant', 'probe', 'missing'])
})

test('call of a server that is not available ends with 1 and the reason', async () => {
  const { code, stdout, stderr } = await runMobius(['call', 'missing/x'], { files })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatchInlineSnapshot(`
    "Server "missing" is not available: Could not start "mobius-test-no-such-command": there is no such command. Install it, or give its full path
    "
  `)
})

test('call of an unknown server ends with 1', async () => {
  const { code, stderr } = await runMobius(['call', 'nobody/x'], { files })
  expect(code).toBe(1)
  expect(stderr).toMatchInlineSnapshot(`
    "Unknown server: nobody
    "
  `)
})

test.each([
  ['echo', '{}'],
  ['probe/', '{}'],
  ['probe/echo', '[1]'],
  ['probe/echo', '{'],
])('call %s %s is a mistake on the command line', async (target, args) => {
  const { code, stderr } = await runMobius(['call', target, args], { files })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^Cannot (call|read)/)
})

test('tools lists what clients see, and names who is missing', async () => {
  const { code, stdout, stderr } = await runMobius(['tools'], { files })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^tool +description\nmeta__list_servers +Lists every server/)
  expect(stdout).toMatch(/^probe__echo/m)
  expect(stderr).toMatchInlineSnapshot(`
    "Not here: missing: Could not start "mobius-test-no-such-command": there is no such command. Install it, or give its full path
    "
  `)
})

test('servers tries every server, and ends with 1 where one is not ready', async () => {
  const { code, stdout } = await runMobius(['servers'], { files })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^probe +external +ready +13 tools/m)
  expect(stdout).toMatch(/^missing +external +waiting .*no such command/m)
})

test('an unknown option is a mistake', async () => {
  const { code, stderr } = await runMobius(['serve', '--lisen', 'x'])
  expect(code).toBe(2)
  expect(stderr).toContain("unknown option '--lisen'")
})

test('a slip in the name of a command is not taken for a path', async () => {
  const { code, stderr } = await runMobius(['toosl'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^There is no command "toosl", .* Commands: serve, .*tools/)
})

test('a reader that has seen enough ends a command quietly', async () => {
  await using mobius = await startMobius(['config', 'schema'])
  mobius.child.stdout?.destroy()
  expect(await mobius.ended()).toBe(0)
  expect(mobius.output.stderr).toBe('')
})
