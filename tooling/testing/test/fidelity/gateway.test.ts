import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeCrash } from '../../src/fidelity/describe-crash.ts'
import { describeFidelity } from '../../src/fidelity/describe-fidelity.ts'
import { describeStreams } from '../../src/fidelity/describe-streams.ts'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import { openHttpProbe, probeCommand } from '../../src/fidelity/probe-process.ts'
import { openStage } from '../../src/fidelity/stage.ts'
import type { CrashSubject, FidelityTarget } from '../../src/fidelity/target.ts'

// One gateway before two probes, one behind a pipe and one behind HTTP, judged through every door.

const upstreams = {
  stdio: { server: 'probe', tag: 'probe-pipe' },
  http: { server: 'probe-http', tag: 'probe-web' },
} as const

type Upstream = keyof typeof upstreams

interface House {
  origin: string
  logs: Record<Upstream, string>
  restartProbe: () => Promise<void>
}

const streamPromises = {
  keepAliveMs: 1_000,
  answersJson: true,
  keepsEqualIdsApart: true,
  cutsSlowReaders: true,
} as const

let house: House
const lifetime = new AsyncDisposableStack()

beforeAll(async () => {
  const folder = lifetime.use(await mkdtempDisposable(join(tmpdir(), 'fidelity-'))).path
  const logs = { stdio: join(folder, 'stdio.jsonl'), http: join(folder, 'http.jsonl') }
  const environment = (upstream: Upstream): Record<string, string> => ({
    PROBE_LOG: logs[upstream],
    PROBE_TAG: upstreams[upstream].tag,
  })
  const probe = lifetime.use(await openHttpProbe(environment('http')))
  const { command, args, env } = probeCommand(environment('stdio'))
  const http = { keepAlive: '1s' }
  const mcpServers = {
    [upstreams.stdio.server]: { command, args, env },
    [upstreams.http.server]: { url: probe.url },
  }
  const gateway = lifetime.use(
    await openGateway({
      config: { mcpServers, http },
      env: { GATEWAY_SECRET: 'not for children' },
    }),
  )
  house = { origin: gateway.origin, logs, restartProbe: probe.restart }
}, 20_000)

afterAll(() => lifetime.disposeAsync())

for (const upstream of ['stdio', 'http'] as const) {
  for (const subject of [behindAll(upstream), behindItsOwnPath(upstream)]) {
    const name = `${subject.kind === 'aggregate' ? '/mcp' : '/mcp/s/<server>'}, ${upstream} upstream`
    describeFidelity(name, subject)
    describeCrash(`crash behind ${name}`, subject)
  }
}

// The sockets are the same at every door, so two of the four say all.
describeStreams('streams of /mcp, stdio upstream', { ...behindAll('stdio'), ...streamPromises })
describeStreams('streams of /mcp/s/<server>, http upstream', {
  ...behindItsOwnPath('http'),
  ...streamPromises,
})

describe('the environment of a server', () => {
  test('is what its configuration says, without what the gateway keeps for itself', async () => {
    await using stage = await openStage(behindAll('stdio'), sdkV1)
    const { environment } = await stage.state({ environment: ['PROBE_TAG', 'GATEWAY_SECRET'] })
    expect(environment).toEqual({ PROBE_TAG: upstreams.stdio.tag, GATEWAY_SECRET: null })
  })
})

function behindAll(upstream: Upstream): CrashSubject {
  const { server, tag } = upstreams[upstream]
  return {
    kind: 'aggregate',
    upstream,
    server,
    tag,
    publicName: (name) => `${server}__${name}`,
    open: async () => openTarget(upstream, '/mcp'),
  }
}

function behindItsOwnPath(upstream: Upstream): CrashSubject {
  const { server, tag } = upstreams[upstream]
  return {
    kind: 'transparent',
    upstream,
    server,
    tag,
    publicName: (name) => name,
    open: async () => openTarget(upstream, `/mcp/s/${server}`),
  }
}

function openTarget(upstream: Upstream, path: string): FidelityTarget {
  return {
    endpoint: { kind: 'http', url: `${house.origin}${path}` },
    log: house.logs[upstream],
    // A command is started again by the gateway; an address has to be served by somebody.
    ...(upstream === 'http' ? { restartProbe: house.restartProbe } : {}),
    // The house stands until the last test.
    [Symbol.asyncDispose]: async () => undefined,
  }
}
