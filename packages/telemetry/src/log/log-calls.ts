import { type CallEvent, labelOf } from '../call-event.ts'
import { showDuration } from '../show-text.ts'
import type { Logger, LogLevel } from './create-logger.ts'

const levels: Readonly<Record<string, LogLevel>> = {
  ok: 'debug',
  cancelled: 'debug',
  failed: 'info',
}

/**
 * Makes what logs each call that has ended: refusals and errors as warnings, tools' own failures as
 * information, the rest for whoever looks closely. Never with its arguments.
 */
export function logCalls(logger: Logger): (event: CallEvent) => void {
  return (event) => {
    const { id, parent, outcome, rule, error, principal, milliseconds } = event
    const level = levels[outcome] ?? 'warn'
    if (!logger.isEnabled(level)) return
    logger[level](`${labelOf(event)} ${outcome} after ${showDuration(milliseconds)}`, {
      call: id,
      parent,
      principal,
      origin: event.origin.kind,
      rule,
      error: error && { code: error.code, message: error.message },
    })
  }
}
