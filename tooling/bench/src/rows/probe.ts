import type { Bench } from '../bench.ts'
import { type Finding, probe } from '../probe/probe.ts'
import type { RowReport } from '../report/report.ts'
import { stdioEcho } from '../subjects/subject.ts'
import { upstreamSubjects } from '../subjects/subjects.ts'

/** What each gateway does to what passes through it: one that drops work is not faster. */
export async function measureCorrectness(bench: Bench): Promise<RowReport> {
  const findings = new Map<string, Finding[]>()
  for (const subject of upstreamSubjects(stdioEcho(), bench.peers)) {
    bench.say(`correctness probe: ${subject.name}`)
    await using running = await subject.start()
    findings.set(subject.name, await probe(running.target))
  }
  const names = [...findings.keys()]
  const whats = [...findings.values()][0]?.map(({ what }) => what) ?? []
  return {
    title: 'Correctness probe of the gateways, stdio upstream',
    checks: [],
    tables: [
      {
        columns: ['probe', ...names],
        rows: whats.map((what, index) => [
          what,
          ...names.map((name) => findings.get(name)?.[index]?.fault ?? 'ok'),
        ]),
      },
    ],
    notes: [],
  }
}
