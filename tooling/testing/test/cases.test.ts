import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The table of cases is true: what it says holds a behaviour is there.

const root = join(import.meta.dirname, '../../..')
const parts = [
  'Sessions, SSE, reconnect',
  'Fan-out, naming, lists',
  'Notifications and server->client traffic',
  'stdio process lifecycle',
  'Schema and result fidelity',
  'Timeouts',
  'Size, memory, encoding',
  'Windows, Docker, proxies',
  'Signing in to servers',
  'Hooks, audit, permissions',
  'Configuration and live change',
]

interface Case {
  readonly part: string
  readonly reported: string
  readonly behaviour: string
  readonly heldBy: readonly string[]
}

const cases = readCases(readFileSync(join(root, 'tooling/testing/cases.md'), 'utf8'))

test('every part has its cases, and every case says where it was reported and what must hold', () => {
  expect([...new Set(cases.map(({ part }) => part))]).toEqual(parts)
  const incomplete = cases.filter(
    ({ reported, behaviour, heldBy }) => reported === '' || behaviour === '' || heldBy.length === 0,
  )
  expect(incomplete).toEqual([])
})

test('every case is held by a test', () => {
  const unheld = cases.filter(({ heldBy }) => !heldBy.some((entry) => readReference(entry)))
  expect(unheld).toEqual([])
})

test('every test that a case names is there, and runs', () => {
  const gone = cases.flatMap(({ heldBy }) => heldBy.filter((entry) => !isTrue(entry)))
  expect(gone).toEqual([])
})

function readCases(markdown: string): Case[] {
  const sections = markdown.split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const [part = '', ...lines] = section.split('\n')
    const rows = lines.filter((line) => line.startsWith('| ') && !/^\| (reported|---) /.test(line))
    return rows.map((row) => {
      const [reported = '', behaviour = '', held = ''] = row.slice(2, -2).split(' | ')
      return { part, reported, behaviour, heldBy: held.split('<br>') }
    })
  })
}

/** A file and the titles, from the outside in, that lead to a test of it; `undefined` for a remark. */
function readReference(entry: string): { file: string; titles: string[] } | undefined {
  const [, file, names] = /^`([^`]+)` › (.+)$/.exec(entry) ?? []
  return file === undefined || names === undefined
    ? undefined
    : { file, titles: names.split(' › ') }
}

function isTrue(entry: string): boolean {
  const reference = readReference(entry)
  if (!reference) return /^(Later|Not here): ./.test(entry)
  const path = join(root, reference.file)
  if (!existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return reference.titles.every((title) => isTitle(source, title))
}

/** Whether a test, or what holds some, is called so, and is not left out. */
function isTitle(source: string, title: string): boolean {
  const text = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const call = new RegExp(String.raw`([\w.]*)\(\s*(['"\`])${text}\2`).exec(source)
  return call !== null && !/\.(skip|todo)$/.test(call[1] ?? '')
}
