import { expect, test, vi } from 'vitest'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import { asObject } from '../../src/probe/session.ts'
import { caseServer } from './support/case-server.ts'
import { isOfServer, openClient } from './support/client.ts'
import { descendantsOf } from './support/processes.ts'

vi.setConfig({ testTimeout: 20_000 })

// One bad server is one bad server: it holds nobody else up.

const bad = {
  hung: caseServer({ hangs: true }),
  crashing: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
  missing: { command: 'mobius-test-no-such-command' },
}
const config = { mcpServers: { ...bad, fine: caseServer({ tools: ['a', 'b'] }) } }

test('the gateway is ready at once, whatever its servers do', async () => {
  await using gateway = await openGateway({ config })
  for (const path of ['/healthz', '/readyz']) {
    expect((await fetch(gateway.origin + path)).status, path).toBe(200)
  }
  expect(await descendantsOf(gateway.pid)).toEqual([])
})

test('a call to a healthy server waits for no other, in every session', async () => {
  await using gateway = await openGateway({ config })
  for (let session = 0; session < 3; session++) {
    await using client = await openClient(`${gateway.origin}/mcp`)
    const begin = performance.now()
    expect(await client.text('fine__a')).toMatch(/^a by \d+$/)
    expect(performance.now() - begin).toBeLessThan(4_000)
  }
})

test('a list waits for a server that hangs, but not long, not twice, and says who is missing and why', async () => {
  await using gateway = await openGateway({ config })
  await using client = await openClient(`${gateway.origin}/mcp`)
  const begin = performance.now()
  const { tools, _meta } = asObject((await client.ask('tools/list')).result)
  expect(performance.now() - begin).toBeLessThan(7_000)
  expect(toNames(tools).filter(isOfServer)).toEqual(['fine__a', 'fine__b'])
  expect(asObject(_meta)['mobius-mcp.dev/missing']).toEqual([
    { server: 'hung', reason: 'it did not answer within 5 s; it is still being asked' },
    { server: 'crashing', reason: expect.stringMatching(/exited with code 3 before it answered/) },
    { server: 'missing', reason: expect.stringContaining('there is no such command') },
  ])
  await using other = await openClient(`${gateway.origin}/mcp`)
  const again = performance.now()
  expect(await other.names()).toEqual(toNames(tools))
  expect(await client.names()).toEqual(toNames(tools))
  expect(performance.now() - again).toBeLessThan(4_000)
})

function toNames(tools: unknown): string[] {
  return (tools as { name: string }[]).map(({ name }) => name)
}
