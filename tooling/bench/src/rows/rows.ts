import type { Bench } from '../bench.ts'
import type { RowReport } from '../report/report.ts'
import { measureAgents } from './agents.ts'
import { measureHttpEcho } from './http-echo.ts'
import { measureIdleSessions } from './idle-session.ts'
import { measureInProcess } from './in-process.ts'
import { measureSoak } from './soak.ts'
import { measureStart } from './start.ts'
import { measureHttpUpstream, measureStdioUpstream } from './upstream.ts'

export type RowName =
  | 'in-process'
  | 'http-echo'
  | 'stdio-upstream'
  | 'http-upstream'
  | 'idle-session'
  | 'start'
  | 'soak'
  | 'agents'

/** Everything that is measured, in the order of the results. */
export const rows: Record<RowName, (bench: Bench) => Promise<RowReport>> = {
  'in-process': measureInProcess,
  'http-echo': measureHttpEcho,
  'stdio-upstream': measureStdioUpstream,
  'http-upstream': measureHttpUpstream,
  'idle-session': measureIdleSessions,
  start: measureStart,
  soak: measureSoak,
  agents: measureAgents,
}
