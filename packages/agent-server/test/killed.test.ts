import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JsonObject } from '@mobius-mcp/protocol'
import { openStore, type Store } from '@mobius-mcp/store'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, 'fixtures/scripted-agents.ts')
const principal = { id: 'ann' }
/** Of processes, each with that many chats under way: two turns each, of an agent and a sub-agent. `MOBIUS_KILLS` asks for more. */
const kills = Number(process.env.MOBIUS_KILLS ?? 8)
const chats = 15
const steps = 6

/** Starts a process, and kills it after so many lines; else it ends when all is done. */
async function run(args: readonly string[], killAfter = Number.POSITIVE_INFINITY) {
  const flags = ['--conditions=@mobius-mcp/source', '--no-warnings', program]
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit']
  const child = spawn(process.execPath, [...flags, ...args], { stdio })
  const exit = once(child, 'exit')
  child.stdin.end('go\n')
  let said = 0
  for await (const _line of createInterface({ input: child.stdout })) {
    said += 1
    if (said === killAfter) child.kill('SIGKILL')
  }
  const [code, signal] = await exit
  return signal ?? code
}

/** What was done, by run and step. */
async function effectsIn(file: string): Promise<Map<string, string[]>> {
  const done = new Map<string, string[]>()
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const [name, step, id = ''] = line.split(' ')
    const key = `${name} ${step}`
    done.set(key, [...(done.get(key) ?? []), id])
  }
  return done
}

interface Item {
  readonly type: string
  readonly content: readonly (JsonObject & { text?: string; arguments?: JsonObject })[]
}

async function threadsIn(store: Store, agent: string): Promise<Item[][]> {
  const { entries } = await store.threads.list(principal, { agent, limit: 1000 })
  return await Promise.all(
    entries.map(async ({ id }) => {
      const items = (await store.threads.items(principal, id)) ?? []
      return items.map(({ value }) => value as unknown as Item)
    }),
  )
}

test('agents survive being killed: finished steps never again, nothing is missing from a thread', {
  timeout: kills * 15_000,
}, async () => {
  await using folder = await openTemporaryFolder()
  const file = join(folder.path, 'state.db')
  const effects = join(folder.path, 'effects')
  for (let round = 0; round < kills; round += 1) {
    const owner = `owner-${round}`
    // Anywhere in what it does: a prime number apart each time.
    const killAfter = 3 + ((round * 37) % 61)
    const args = [file, effects, owner, `${round * chats}`, `${chats}`]
    expect(await run(args, killAfter)).toBe('SIGKILL')
    await using store = await openStore(file)
    await store.leases.release(owner)
  }
  expect(await run([file, effects, 'last', '0', '0'])).toBe(0)

  await using store = await openStore(file)
  const done = await effectsIn(effects)
  const workers = await threadsIn(store, 'worker')
  const bosses = await threadsIn(store, 'boss')
  // Who was killed too early had begun none of its own.
  expect(bosses.length).toBeGreaterThan(2 * chats)
  expect(workers.length).toBe(bosses.length)
  let interrupted = 0
  for (const items of workers) {
    const calls = items.filter(({ type }) => type === 'assistant').slice(0, steps)
    const results = items.filter(({ type }) => type === 'result')
    const shape = ['user', ...Array(steps).fill(['assistant', 'result']).flat(), 'assistant', 'end']
    expect(items.map(({ type }) => type)).toEqual(shape)
    for (const [index, { content }] of calls.entries()) {
      const key = String(content[0]?.arguments?.key)
      const made = done.get(key) ?? []
      const result = results[index]?.content[0]?.text ?? ''
      if (result.startsWith('The call was interrupted')) {
        interrupted += 1
        expect(index % 2).toBe(0)
        expect(made.length).toBeLessThanOrEqual(1)
      } else {
        expect(made).toContain(result)
        if (index % 2 === 0) expect(made).toHaveLength(1)
      }
    }
  }
  for (const items of bosses) {
    expect(items.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'result',
      'assistant',
      'end',
    ])
    expect(items.at(-2)?.content[0]?.text).toMatch(/^run-\d+ is done\n/)
  }
  expect(interrupted).toBeGreaterThan(0)
})
