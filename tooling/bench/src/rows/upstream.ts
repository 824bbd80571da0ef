import type { Bench } from '../bench.ts'
import { measureLoads } from '../measure/load-series.ts'
import { toLoadTable, toSpeedCheck } from '../report/load-table.ts'
import type { RowReport } from '../report/report.ts'
import { moduleSubject, stdioEcho } from '../subjects/subject.ts'
import { mobius, upstreamSubjects } from '../subjects/subjects.ts'

/** `tools/call` over HTTP to a stdio server that answers at once. */
export async function measureStdioUpstream(bench: Bench): Promise<RowReport> {
  bench.say('tools/call over HTTP to a stdio upstream')
  const series = await measureLoads(bench, upstreamSubjects(stdioEcho(), bench.peers))
  const check = { subject: mobius, inFlight: 16 }
  return {
    title: '`tools/call` over HTTP to a stdio server that answers at once',
    checks: [
      toSpeedCheck(series, {
        ...check,
        what: 'stdio upstream, against a bare relay',
        against: ['hono-relay'],
        atLeast: 0.7,
      }),
      toSpeedCheck(series, {
        ...check,
        what: 'stdio upstream, against the best npm peer at 16 in flight',
        against: bench.peers.map(({ name }) => name),
        atLeast: 5,
      }),
    ],
    tables: [toLoadTable(series), toPeerTable(bench)],
    notes: [
      'Gateway and upstream share a core. `hono-relay` puts an id of its own on the request, writes the line, waits for the answer and puts the id back.',
    ],
  }
}

/** The same to a Streamable HTTP server; the design sets no budget for it. */
export async function measureHttpUpstream(bench: Bench): Promise<RowReport> {
  bench.say('tools/call over HTTP to an HTTP upstream')
  const direct = moduleSubject('baseline', 'direct-http')
  await using upstream = await direct.start()
  const { url } = upstream.target
  const series = await measureLoads(bench, [direct, ...upstreamSubjects({ url }, bench.peers)])
  return {
    title: '`tools/call` over HTTP to a Streamable HTTP server that answers at once (no budget)',
    checks: [],
    tables: [toLoadTable(series)],
    notes: ['`direct-http` is that server without a gateway.'],
  }
}

function toPeerTable({ peers }: Bench): RowReport['tables'][number] {
  return {
    columns: ['peer', 'version', 'what it does for each session'],
    rows: peers.map(({ name, version, perSession }) => [name, version, perSession]),
  }
}
