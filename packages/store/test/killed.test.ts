import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openStore, type Store } from '../src/index.ts'

const program = join(import.meta.dirname, 'fixtures/scripted-runs.ts')
/** Each cuts up to five runs. */
const kills = Number(process.env.MOBIUS_TEST_KILLS ?? 40)
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
  const store = await openStore(file)
  let children = 0
  return {
    store,
    effects: async () =>
      (await readFile(effects, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [run: string, key: string, id: string]),
    start(count: number): Child {
      const number = children++
      const owner = `owner-${number}`
      const options = [file, effects, owner, String(number * runsOfChild), String(count)]
      const child = spawn(
        process.execPath,
        ['--conditions=@mobius-mcp/source', '--no-warnings', program, ...options],
        { stdio: ['pipe', 'pipe', 'inherit'] },
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
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** What must hold of a run, whatever happened to it. */
async function judge(store: Store, run: string, effects: ReadonlyMap<string, readonly string[]>) {
  const problems: string[] = []
  const complain = (what: string) => problems.push(`${run}: ${what}`)
  if ((await store.journal.find(run))?.state !== 'ended') complain('has not ended')
  const steps = await store.journal.steps(run)
  const items = (await store.threads.items({ id: 'ann' }, run)) ?? []
  if (steps.length !== 6) complain(`has ${steps.length} steps`)
  const told = items.map(({ id, value }) => [id, value.kind, value.effect])
  const done = steps.map(({ key, state, result }) => [key, state, result ?? null])
  if (JSON.stringify(told) !== JSON.stringify(done)) complain('its thread differs from its journal')
  for (const { key, state, idempotent, attempts, result } of steps) {
    const acts = effects.get(`${run} ${key}`) ?? []
    if (acts.length > (idempotent ? attempts : 1)) complain(`${key} was done ${acts.length} times`)
    if (idempotent && state !== 'finished') complain(`${key} is ${state}`)
    if (state !== 'finished' && state !== 'interrupted') complain(`${key} is ${state}`)
    // Nothing was done after it had been recorded as finished.
    if (state === 'finished' && acts.at(-1) !== result) complain(`${key} was done again`)
  }
  return problems
}

test('runs survive being killed: finished steps never again, the one in flight at most once', async () => {
  const random = createRandom(20_261_130)
  await using place = await openPlace()
  const { store } = place
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
  const last = place.start(0)
  expect(await last.killAfter(Number.POSITIVE_INFINITY)).toBe(0)

  const effects = new Map<string, string[]>()
  for (const [run, key, id] of await place.effects()) {
    effects.set(`${run} ${key}`, [...(effects.get(`${run} ${key}`) ?? []), id])
  }
  const runs = await store.journal.list({ limit: 100_000 })
  const problems = await Promise.all(runs.map(({ id }) => judge(store, id, effects)))
  expect(problems.flat()).toEqual([])
  const acted = new Set([...effects.keys()].map((key) => key.split(' ')[0]))
  expect(new Set(runs.map(({ id }) => id))).toEqual(new Set([...acted, ...runs.map(({ id }) => id)]))
  const steps = (await Promise.all(runs.map(({ id }) => store.journal.steps(id)))).flat()
  const interrupted = steps.filter(({ state }) => state === 'interrupted').length
  const repeated = steps.filter(({ attempts }) => attempts > 1).length
  console.info(
    `${killed} kills: ${runs.length} runs, ${steps.length} steps, ${interrupted} interrupted, ${repeated} begun again`,
  )
  expect(interrupted + repeated).toBeGreaterThan(0)
}, 60_000)
