import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openSuite } from './counterparts.ts'
import { Processes } from './processes.ts'
import { formatComplaints, formatTable, type TargetResult } from './report.ts'
import { type Requirements, readRequirements } from './requirements.ts'
import { runSuite } from './suite.ts'
import { type Target, targets } from './targets.ts'
import { judge, type Verdict } from './verdict.ts'

interface Run {
  suite: string
  requirements: Requirements
  folder: string
  signal: AbortSignal
}

const revision = '2025-11-25'
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const signal = interruptible()
process.exitCode = await main(signal).catch((error: unknown) => {
  say(signal.aborted ? 'Interrupted.' : toMessage(error))
  return signal.aborted ? 130 : 1
})

async function main(signal: AbortSignal): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { keep: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const chosen = chooseTargets(positionals)
  const { folder: suite, version } = await installSuite(signal)
  say(`MCP conformance suite ${version}, requirements of ${revision}\n`)

  const requirements = readRequirements(suite, revision)
  const folder = await mkdtemp(join(tmpdir(), 'mobius-conformance-'))
  const results: TargetResult[] = []
  for (const target of chosen) {
    results.push(await runTarget(target, { suite, requirements, folder, signal }))
    if (signal.aborted) {
      await rm(folder, { recursive: true })
      throw signal.reason
    }
  }

  say([formatTable(results), formatComplaints(results)].filter(Boolean).join('\n\n'))
  const ok = results.every(({ verdict }) => verdict.ok)
  if (ok && !values.keep) await rm(folder, { recursive: true })
  else say(`\nResults, and what was written meanwhile: ${folder}`)
  return ok ? 0 : 1
}

async function installSuite(signal: AbortSignal): Promise<{ folder: string; version: string }> {
  await using processes = new Processes(signal)
  return await openSuite(processes, say)
}

async function runTarget(target: Target, run: Run): Promise<TargetResult> {
  const started = performance.now()
  const verdict = await tryTarget(target, run).catch((error: unknown) => ({
    ok: false as const,
    problem: toMessage(error),
  }))
  return { target: target.name, seconds: (performance.now() - started) / 1000, verdict }
}

async function tryTarget(target: Target, run: Run): Promise<Verdict> {
  const folder = join(run.folder, target.name)
  const results = join(folder, 'results')
  await mkdir(results, { recursive: true })
  await using processes = new Processes(run.signal)
  try {
    const url = await target.start({ processes, folder }, target.fixture)
    const options = { suite: run.suite, revision, url, results }
    return judge(run.requirements, await runSuite(processes, options))
  } finally {
    await writeFile(join(folder, 'output.txt'), processes.transcript())
  }
}

function chooseTargets(names: readonly string[]): readonly Target[] {
  const unknown = names.filter((name) => !targets.some((target) => target.name === name))
  if (unknown.length > 0) {
    const known = targets.map(({ name }) => name).join(', ')
    throw new Error(`There is no target ${unknown.join(', ')}. Expected any of: ${known}.`)
  }
  return names.length === 0 ? targets : targets.filter(({ name }) => names.includes(name))
}

/** Aborts at the first signal, so that everything ends in order; the second ends it at once. */
function interruptible(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort(new Error(`Interrupted by ${name}.`))
    })
  }
  return controller.signal
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
