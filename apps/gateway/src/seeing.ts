import { join } from 'node:path'
import type { LogSettings } from '@mobius-mcp/config'
import {
  type CallLogProblem,
  createMetrics,
  type Metrics,
  openCallLog,
} from '@mobius-mcp/telemetry'
import { createLogger, type Logger, type LoggerOptions, logCalls } from '@mobius-mcp/telemetry/log'
import type { CallEvent, Observe, ServerState } from '@mobius-mcp/tools-service'
import { version } from './version.ts'

/** Everything that sees what goes on: logs, metrics, and the record of calls. */
export interface Seeing extends AsyncDisposable {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly observe: Observe
  /** Logs by these settings from now on. */
  adjustLog(settings: LogSettings): void
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
  const logger = createLogger(toLogger(log))
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
    adjustLog: (settings) => logger.adjust(toLogger(settings)),
    [Symbol.asyncDispose]: () => calls.close(),
  }
}

/** There is nothing below what is said for debugging. */
function toLogger({ level, format }: LogSettings): Pick<LoggerOptions, 'level' | 'format'> {
  return { level: level === 'trace' ? 'debug' : level, format }
}

/** Where the record of calls is kept. */
export function callFolder(state: string): string {
  return join(state, 'calls')
}
