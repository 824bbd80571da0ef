import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFidelity } from '../../src/fidelity/describe-fidelity.ts'
import { describeStreams } from '../../src/fidelity/describe-streams.ts'
import { openHttpProbe, probeCommand } from '../../src/fidelity/probe-process.ts'
import type { FidelitySubject, FidelityTarget, StreamSubject } from '../../src/fidelity/target.ts'

// Nothing of ours stands in between: what fails here is the probe, an SDK or the judge.

const direct = {
  kind: 'direct',
  tag: 'probe',
  publicName: (name: string) => name,
} as const

const overStdio: FidelitySubject = {
  ...direct,
  upstream: 'stdio',
  async open() {
    await using opened = new AsyncDisposableStack()
    const log = await openLog(opened)
    const endpoint = probeCommand({ PROBE_LOG: log })
    const lifetime = opened.move()
    return { endpoint, log, [Symbol.asyncDispose]: () => lifetime.disposeAsync() }
  },
}

const overHttp: FidelitySubject = { ...direct, upstream: 'http', open: () => openHttp({}) }

const keepAliveMs = 100

// The SDK answers every request with a stream and mixes up requests of one id.
const streams: StreamSubject = {
  ...overHttp,
  open: () => openHttp({ PROBE_KEEPALIVE_MS: String(keepAliveMs), PROBE_RESUMABLE: '1' }),
  keepAliveMs,
  answersJson: false,
  keepsEqualIdsApart: false,
  cutsSlowReaders: false,
}

describeFidelity('directly over stdio', overStdio)
describeFidelity('directly over Streamable HTTP', overHttp)
describeStreams('streams of the SDK', streams)

async function openHttp(env: Record<string, string>): Promise<FidelityTarget> {
  await using opened = new AsyncDisposableStack()
  const log = await openLog(opened)
  const { url } = opened.use(await openHttpProbe({ ...env, PROBE_LOG: log }))
  const lifetime = opened.move()
  const endpoint = { kind: 'http', url } as const
  return { endpoint, log, [Symbol.asyncDispose]: () => lifetime.disposeAsync() }
}

async function openLog(opened: AsyncDisposableStack): Promise<string> {
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'fidelity-')))
  return join(folder.path, 'probe.jsonl')
}
