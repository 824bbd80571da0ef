import { join } from 'node:path'
import type { LogSettings } from '@mobius-mcp/config'
import {
  type CallLogProblem,
  createMetrics,
  type Metrics,
  openCallLog,
} from '@mobius-mcp/telemetry'
import { createLogger, type Logger, logCalls } from '@mobius-mcp/telemetry/log'
import type { CallEvent, Observe, ServerState } from '@mobius-mcp/tools-service'
import { version } from './version.ts'

/** Everything that sees what goes on: logs, metrics, and the record of calls. */
export interface Seeing extends AsyncDisposable {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly observe: Observe
}

export interface SeeingOptions {
  /** The state folder; the record of calls has a folder in it. */
  readonly state: string
  readonly log: LogSettings
  /** What is counted when somebody looks. */
  servers(): readonly ServerState[]
  sessions(): number
}

export function openSeeing({ state, log, servers, sessions }: SeeingOptions): Seeing {
  const logger = createLogger({ ...log, level: log.level === 'trace' ? 'debug' : log.level })
  const metrics = createMetrics({ servers, sessions, version })
  const calls = openCallLog({
    folder: callFolder(state),
    onProblem: ({ message }: CallLogProblem) => logger.warn(message),
  })
  const note = logCalls(logger)
  return {
    logger,
    metrics,
    observe(event: CallEvent) {
      metrics.observe(event)
      calls.write(event)
      note(event)
    },
    [Symbol.asyncDispose]: () => calls.close(),
  }
}

/** Where the record of calls is kept. */
export function callFolder(state: string): string {
  return join(state, 'calls')
}
