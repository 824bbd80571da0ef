import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Exit, Processes } from './processes.ts'

/** One thing that a scenario looked at. */
export interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string | undefined
}

/** What one run of the suite left behind. */
export interface SuiteRun {
  exit: Exit
  output: string
  /** The checks of every scenario that ran to its end. */
  scenarios: ReadonlyMap<string, readonly Check[]>
}

const limitMs = 180_000
const scenarioLimitMs = 10_000

const Checks = z.array(
  z.object({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
)

/** Runs the suite's server scenarios of one revision against `url`. */
export async function runSuite(
  processes: Processes,
  options: { suite: string; revision: string; url: string; results: string },
): Promise<SuiteRun> {
  const { suite, revision, url, results } = options
  const program = join(suite, 'dist/index.js')
  const args = [
    ...['server', '--url', url, '--requirements', revision],
    ...['-o', results, '--timeout', `${scenarioLimitMs}`],
  ]
  // In the results' folder, because the suite writes beside itself when told nowhere.
  const child = processes.start(process.execPath, [program, ...args], { cwd: results })
  const timer = setTimeout(() => void child.stop(), limitMs)
  const exit = await child.exited
  clearTimeout(timer)
  return { exit, output: child.output(), scenarios: readScenarios(results) }
}

/** Reads the folder that the suite's `-o` names. */
export function readScenarios(results: string): Map<string, Check[]> {
  const scenarios = new Map<string, Check[]>()
  for (const path of globSync('server-*/checks.json', { cwd: results })) {
    const name = basename(dirname(path))
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    scenarios.set(name, Checks.parse(JSON.parse(readFileSync(join(results, path), 'utf8'))))
  }
  return scenarios
}
