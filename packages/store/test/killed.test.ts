import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { StepRecord } from '@mobius-mcp/state'
import { expect, test } from 'vitest'
import { openStore, type Store } from '../src/index.ts'

const program = join(import.meta.dirname, 'fixtures/scripted-runs.ts')
/** Of processes, each with fifteen runs under way. */
const kills = 14
const processes = 2
/** More than it can do before it is killed. */
const runsOfChild = 1000

interface Child {
  readonly owner: string
  /** Kills it after so many lines, whatever it is doing then; not at all if it ends before. */
  killAfter(lines: number): Promise<NodeJS.Signals | number | null>
}

/** The same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

async function openPlace() {
  const folder = await mkdtemp(join(tmpdir(), 'mobius-killed-'))
  const file = join(folder, 'state.db')
  const effects = join(folder, 'effects')
  // Loading the code takes longer than the work does.
  const environment = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'code') }
  let children = 0
  return {
    open: () => openStore(file),
    /** What was done, by run and step. */
    async effects() {
      const done = new Map<string, string[]>()
      for (const line of (await readFile(effects, 'utf8')).trim().split('\n')) {
        const [run = '', key = '', id = ''] = line.split(' ')
        done.set(`${run} ${key}`, [...(done.get(`${run} ${key}`) ?? []), id])
      }
      return done
    },
    start(count: number, first?: number): Child {
      const number = children++
      const owner = `owner-${number}`
      const from = first ?? number * runsOfChild
      const options = [file, effects, owner, String(from), String(count)]
      const child = spawn(
        process.execPath,
        ['--conditions=@mobius-mcp/source', '--no-warnings', program, ...options],
        { stdio: ['pipe', 'pipe', 'inherit'], env: environment },
      )
      const exit = once(child, 'exit')
      return {
        owner,
        async killAfter(lines) {
          child.stdin.end('go\n')
          let said = 0
          for await (const _line of createInterface({ input: child.stdout })) {
            said += 1
            if (said === lines) child.kill('SIGKILL')
          }
          const [code, signal] = await exit
          return signal ?? code
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
    },
  }
}

/** What is wrong with a run, whatever happened to it. */
async function judge(store: Store, run: string, effects: ReadonlyMap<string, readonly string[]>) {
  const steps = await store.journal.steps(run)
  const items = (await store.threads.items({ id: 'ann' }, run)) ?? []
  const told = items.map(({ id, value }) => [id, value.kind, value.effect])
  const done = steps.map(({ key, state, result }) => [key, state, result ?? null])
  const record = await store.journal.find(run)
  return [
    record?.state !== 'ended' && 'has not ended',
    steps.length !== 6 && `has ${steps.length} steps`,
    JSON.stringify(told) !== JSON.stringify(done) && 'its thread differs from its journal',
    ...steps.map((step) => judgeStep(step, effects.get(`${run} ${step.key}`) ?? [])),
  ].flatMap((problem) => (problem ? [`${run}: ${problem}`] : []))
}

function judgeStep(
  { key, state, idempotent, attempts, result }: StepRecord,
  acts: readonly string[],
) {
  if (acts.length > (idempotent ? attempts : 1)) return `${key} was done ${acts.length} times`
  if (state !== 'finished' && (idempotent || state !== 'interrupted')) return `${key} is ${state}`
  // Nothing was done after it had been recorded as finished.
  return state === 'finished' && acts.at(-1) !== result && `${key} was done again`
}

test('runs survive being killed: finished steps never again, the one in flight at most once', async () => {
  const random = createRandom(20_261_130)
  await using place = await openPlace()
  await using store = await place.open()
  // What is killed leaves no compiled code behind.
  expect(await place.start(0).killAfter(Number.POSITIVE_INFINITY)).toBe(0)
  let killed = 0
  /** A dead process's lease expires; here, at once. */
  const bury = ({ owner }: Child) => store.leases.release(owner)
  const lane = async () => {
    let next = place.start(runsOfChild)
    while (killed < kills) {
      const child = next
      // It starts while the other one works.
      next = place.start(runsOfChild)
      killed += 1
      expect(await child.killAfter(1 + random(120))).toBe('SIGKILL')
      await bury(child)
    }
    await next.killAfter(1)
    await bury(next)
  }
  await Promise.all(Array.from({ length: processes }, lane))
  expect(await place.start(0).killAfter(Number.POSITIVE_INFINITY)).toBe(0)

  const effects = await place.effects()
  const runs = await store.journal.list({ limit: 100_000 })
  const problems = await Promise.all(runs.map(({ id }) => judge(store, id, effects)))
  expect(problems.flat()).toEqual([])
  const known = new Set(runs.map(({ id }) => id))
  expect([...effects.keys()].filter((key) => !known.has(key.split(' ')[0] ?? ''))).toEqual([])
  const steps = (await Promise.all(runs.map(({ id }) => store.journal.steps(id)))).flat()
  const interrupted = steps.filter(({ state }) => state === 'interrupted').length
  const repeated = steps.filter(({ attempts }) => attempts > 1).length
  console.info(
    `${killed} kills: ${runs.length} runs, ${steps.length} steps, ${interrupted} interrupted, ${repeated} begun again`,
  )
  expect(interrupted + repeated).toBeGreaterThan(0)
}, 60_000)

test('processes that start at once on a new file make one database, and do each run once', async () => {
  await using place = await openPlace()
  const children = [place.start(30, 0), place.start(30, 0), place.start(30, 0)]
  const ends = children.map((child) => child.killAfter(Number.POSITIVE_INFINITY))
  expect(await Promise.all(ends)).toEqual([0, 0, 0])
  await using store = await place.open()
  const runs = await store.journal.list()
  const effects = await place.effects()
  const problems = await Promise.all(runs.map(({ id }) => judge(store, id, effects)))
  expect(problems.flat()).toEqual([])
  expect(runs).toHaveLength(30)
  expect(effects.size).toBe(180)
}, 60_000)
