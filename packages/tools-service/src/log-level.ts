import { type JsonObject, parseLoggingLevel } from '@mobius-mcp/protocol'

/** Whether a message of one level is wanted by who set another; nothing is known of levels that there are not. */
export function isLoudEnough(level: unknown, wanted: unknown): boolean {
  const loudness = severityOf(level)
  const least = severityOf(wanted)
  return loudness === undefined || least === undefined || loudness >= least
}

/** Of the params of several `logging/setLevel`, those that let the most through. */
export function quietest(levels: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  let found: JsonObject | undefined
  let least = Number.POSITIVE_INFINITY
  for (const params of levels) {
    const severity = severityOf(params?.level) ?? Number.POSITIVE_INFINITY
    if (severity >= least) continue
    least = severity
    found = params
  }
  return found
}

function severityOf(level: unknown): number | undefined {
  try {
    return parseLoggingLevel(level)
  } catch {
    return undefined
  }
}
