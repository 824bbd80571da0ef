import type { Bench } from '../bench.ts'
import { measureLoads } from '../measure/load-series.ts'
import { toLoadTable, toSpeedCheck } from '../report/load-table.ts'
import type { RowReport } from '../report/report.ts'
import { echoSubjects, hookedMobius, hookedSubjects, mobius } from '../subjects/subjects.ts'

/** `tools/call` over HTTP in one legacy session, with the echo in the server's own process. */
export async function measureHttpEcho(bench: Bench): Promise<RowReport> {
  bench.say('tools/call over HTTP, in-process echo')
  const series = await measureLoads(bench, [...echoSubjects(), ...hookedSubjects()])
  const check = { subject: mobius, inFlight: 16 }
  return {
    title: '`tools/call` over HTTP, legacy session, in-process echo',
    checks: [
      toSpeedCheck(series, {
        ...check,
        what: 'HTTP, in-process echo, against a bare Hono echo',
        against: ['hono-echo'],
        atLeast: 0.8,
      }),
      toSpeedCheck(series, {
        ...check,
        what: "HTTP, in-process echo, against the SDK's own server",
        against: ['sdk-http'],
        atLeast: 4,
      }),
      toSpeedCheck(series, {
        subject: hookedMobius,
        inFlight: 16,
        what: 'the same with an observing hook on each call, against a bare Hono echo',
        against: ['hono-echo'],
        atLeast: 0.8,
      }),
      toSpeedCheck(series, {
        subject: hookedMobius,
        inFlight: 16,
        what: "the same with an observing hook on each call, against the SDK's own server",
        against: ['sdk-http'],
        atLeast: 4,
      }),
    ],
    tables: [toLoadTable(series, 'hono-echo')],
    notes: [
      '`hono-echo` parses the body and answers JSON; it hands out a session id that it never looks at, so that all subjects get the same requests; `sdk-http` is `McpServer` with zod in and out on the web-standard transport, stateful, with streamed answers.',
    ],
  }
}
