import { showText } from '@mobius-mcp/telemetry'
import type { ServerState } from '@mobius-mcp/tools-service'
import { advise } from '../advice.ts'
import { assemble } from '../assemble.ts'
import type { ConfigOptions } from '../program.ts'
import { withSpinner } from '../progress.ts'
import { UserError } from '../user-error.ts'

export interface DoctorOptions extends ConfigOptions {
  timeout: string
}

/** How many of a server's last lines are shown where it is not well. */
const shownLines = 5

/**
 * `mobius doctor`: runs each server by itself, also where a gateway runs, and says what is wrong and
 * what to do. The exit code is 1 where something is.
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { parseDuration, formatProblem } = await import('@mobius-mcp/config')
  const startTimeout = parseDuration(options.timeout)
  if (startTimeout === undefined) {
    throw new UserError(
      `Cannot wait ${JSON.stringify(options.timeout)} for a server: expected a duration, e.g. 10s`,
    )
  }
  const lines = new Map<string, string[]>()
  await using gateway = await assemble({
    ...options,
    startTimeout,
    onLine(server, line) {
      const before = lines.get(server) ?? []
      lines.set(server, [...before, line].slice(-shownLines))
    },
  })
  const { live, service } = gateway
  const { warnings } = live.current
  for (const warning of warnings) process.stdout.write(`! ${formatProblem(warning)}\n`)
  await withSpinner('Trying every server', () => service.probe())
  const states = service.states()
  for (const state of states) process.stdout.write(report(state, lines.get(state.name) ?? []))
  const ill = states.filter(({ reason }) => reason !== undefined).length
  const found = live.paths.length === 0 ? 'No configuration found' : live.current.file
  process.stdout.write(
    `\n${found}: ${states.length} servers, ${ill === 0 ? 'all well' : `${ill} not well`}\n`,
  )
  return ill === 0 ? 0 : 1
}

function report(state: ServerState, lines: readonly string[]): string {
  const { name, reason, offers } = state
  if (state.state === 'disabled') return `- ${name}: disabled\n`
  if (reason === undefined) return `✓ ${name}: ${offers.tools ?? 0} tools\n`
  const shown = lines.map((line) => `    it wrote: ${showText(line, 200)}\n`)
  return `✗ ${name}: ${showText(reason, 500)}\n${shown.join('')}    what to do: ${advise(state, lines)}\n`
}
