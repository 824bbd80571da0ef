import { type Clock, systemClock } from '@mobius-mcp/protocol'
import { type Logger as PinoLogger, pino } from 'pino'
import { redactText } from '../redact-text.ts'
import { escapeLine } from '../show-text.ts'
import { createHumanFormat } from './format-human.ts'
import { redactFields } from './redact.ts'

/** How much a line matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a line says beside its message, e.g. `call`, `server`, `error`. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes one line for each entry. Never throws, whatever the fields hold. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** True where a line of that level would be written. */
  isEnabled(level: LogLevel): boolean
  /** A logger whose lines all have these fields, e.g. a call's id. */
  child(fields: LogFields): Logger
}

/** How much is written, and how. */
export interface LogSettings {
  /** The least that is written; `info` by default. */
  readonly level?: LogLevel | 'silent' | undefined
  /** For people or for programs; `auto`, the default, is for people where the destination is a terminal. */
  readonly format?: 'auto' | 'human' | 'json' | undefined
}

/** A logger whose settings may change while it is in use. */
export interface AdjustableLogger extends Logger {
  /** Writes by these settings from now on, as do its children. */
  adjust(settings: LogSettings): void
}

/** What is written, how, and where. */
export interface LoggerOptions extends LogSettings {
  /** Where lines go; stderr by default, for stdout may belong to MCP. */
  readonly destination?: LogDestination | undefined
  /** Colours for people; by default where the destination is a terminal. */
  readonly colour?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** What lines are written to; a stream of Node's is one. */
export interface LogDestination {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/**
 * Makes a structured logger: one line for each entry. Secrets are redacted, arguments and results of
 * calls are not logged, and what others chose is escaped.
 */
export function createLogger(options: LoggerOptions = {}): AdjustableLogger {
  const { clock = systemClock } = options
  const destination = options.destination ?? process.stderr
  const isTerminal = destination.isTTY === true
  let isHuman = false
  const toHuman = createHumanFormat({ colour: options.colour ?? isTerminal })
  const logger = pino(
    {
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are plain by then.
      serializers: {},
    },
    { write: (line: string) => destination.write(isHuman ? toHuman(line) : escapeLine(line)) },
  )
  const adjust = ({ level = 'info', format = 'auto' }: LogSettings) => {
    logger.level = level
    isHuman = format === 'human' || (format === 'auto' && isTerminal)
  }
  adjust(options)
  return { ...wrap(logger, {}), adjust }
}

/** What each line has of its own: no field takes its place. */
const reserved: ReadonlySet<string> = new Set(['level', 'time', 'message'])

function wrap(logger: PinoLogger, shared: LogFields): Logger {
  const write = (level: LogLevel, message: string, fields?: LogFields): void => {
    if (!logger.isLevelEnabled(level)) return
    logger[level](fields ? { ...shared, ...toFields(fields) } : shared, redactText(message))
  }
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    isEnabled: (level) => logger.isLevelEnabled(level),
    // Not the library's own children: a field that both have would stand in the line twice.
    child: (fields) => wrap(logger, { ...shared, ...toFields(fields) }),
  }
}

function toFields(fields: LogFields): LogFields {
  const entries = Object.entries(redactFields(fields))
  return Object.fromEntries(
    entries.map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value]),
  )
}
