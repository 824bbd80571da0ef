import type { Bench } from '../bench.ts'
import { measureLoads } from '../measure/load-series.ts'
import { type Finding, probe } from '../probe/probe.ts'
import { toLoadTable, toSpeedCheck } from '../report/load-table.ts'
import { type Check, type RowReport, type Table, toCheck } from '../report/report.ts'
import { moduleSubject, stdioEcho } from '../subjects/subject.ts'
import { mobius, upstreamSubjects } from '../subjects/subjects.ts'

type Findings = ReadonlyMap<string, Finding[]>

/** `tools/call` over HTTP to a stdio server that answers at once. */
export async function measureStdioUpstream(bench: Bench): Promise<RowReport> {
  const findings = await probeAll(bench)
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
        what: 'stdio upstream, against the best npm peer that does the whole work, at 16 in flight',
        against: bench.peers.map(({ name }) => name).filter((name) => isWhole(findings.get(name))),
        atLeast: 5,
      }),
      toProbeCheck(findings.get(mobius)),
    ],
    tables: [
      toLoadTable(series, 'hono-relay'),
      toPeerTable(bench, findings),
      toProbeTable(findings),
    ],
    notes: [
      'Gateway and upstream share a core. `hono-relay` puts an id of its own on the request, writes the line, waits for the answer and puts the id back.',
      'A peer that drops work is not faster: only one that passes the whole correctness probe is one to be compared with. The others stand in the table with what they drop.',
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
    tables: [toLoadTable(series, 'direct-http')],
    notes: ['`direct-http` is that server without a gateway.'],
  }
}

async function probeAll(bench: Bench): Promise<Findings> {
  const findings = new Map<string, Finding[]>()
  for (const subject of upstreamSubjects(stdioEcho(), bench.peers)) {
    bench.say(`correctness probe: ${subject.name}`)
    await using running = await subject.start()
    findings.set(subject.name, await probe(running.target))
  }
  return findings
}

function toPeerTable({ peers }: Bench, findings: Findings): Table {
  return {
    columns: ['peer', 'version', 'what it does for each session', 'probe passed'],
    rows: peers.map(({ name, version, perSession }) => [
      name,
      version,
      perSession,
      passed(findings.get(name) ?? []),
    ]),
  }
}

function toProbeTable(findings: Findings): Table {
  const [first = []] = findings.values()
  return {
    columns: ['correctness probe', ...findings.keys()],
    rows: first.map(({ what }, index) => [
      what,
      ...[...findings.values()].map((found) => found[index]?.fault ?? 'ok'),
    ]),
  }
}

function toProbeCheck(findings: Finding[] | undefined): Check {
  return toCheck(
    'stdio upstream, correctness probe',
    'all of it',
    findings && {
      measured: passed(findings),
      met: isWhole(findings),
    },
  )
}

function isWhole(findings: Finding[] = []): boolean {
  return findings.length > 0 && findings.every(({ fault }) => fault === undefined)
}

function passed(findings: Finding[]): string {
  const ok = findings.filter(({ fault }) => fault === undefined)
  return `${ok.length} of ${findings.length}`
}
