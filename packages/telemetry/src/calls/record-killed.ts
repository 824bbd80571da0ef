import { hostname } from 'node:os'
import { appendToFile, type CallFile, groupByRun, listCallFiles } from './call-files.ts'
import { decodeLine, encodeGap, type Opening } from './call-record.ts'
import { readHead, readTail } from './line-file.ts'

/** Who could still be writing, as far as this process can tell. */
export interface Liveness {
  readonly now: number
  readonly host: string
  /** This process, and since when it has run: milliseconds since the epoch. */
  readonly process: number
  readonly since: number
  isAlive(process: number): boolean
}

// A process on another machine cannot be asked; one that has written lately is taken to be there.
const foreignQuiet = 3_600_000

/** What this process can tell by itself. */
export function livenessNow(now: number): Liveness {
  return {
    now,
    host: hostname(),
    process: process.pid,
    since: performance.timeOrigin,
    isAlive,
  }
}

/** Notes a gap behind the records of processes that have ended without closing theirs. */
export async function recordKilled(folder: string, own: string, live: Liveness): Promise<void> {
  const runs = groupByRun(await listCallFiles(folder))
  for (const [run, files] of runs) {
    const first = files[0]
    const last = files.at(-1)
    if (run === own || !first || !last || !(await isOpen(last))) continue
    const opening = await openingOf(first)
    if (opening ? isWriting(opening, last, live) : live.now - last.changed < foreignQuiet) continue
    await noteGap(folder, last)
  }
}

async function isOpen({ path }: CallFile): Promise<boolean> {
  const tail = await readTail(path)
  const line = decodeLine(tail.trimEnd().split('\n').at(-1) ?? '')
  if (line?.kind === 'close') return false
  return !(line?.kind === 'gap' && line.gap.reason === 'killed')
}

async function openingOf({ path }: CallFile): Promise<Opening | undefined> {
  const head = await readHead(path)
  // The first line may be what remained of an attempt to write it.
  const lines = head.split('\n', 3).map(decodeLine)
  return lines.find((line) => line?.kind === 'open')?.opening
}

function isWriting(opening: Opening, { changed }: CallFile, live: Liveness): boolean {
  if (opening.host !== live.host) return live.now - changed < foreignQuiet
  // In a container, each life of the gateway has the same number.
  if (opening.process === live.process) return opening.at >= live.since
  return live.isAlive(opening.process)
}

async function noteGap(folder: string, { path, changed }: CallFile): Promise<void> {
  const time = Math.round(changed)
  const gap = encodeGap({ reason: 'killed', from: time, until: time })
  // What was being written when it ended has no end of its own.
  const cut = !(await readTail(path, 1)).endsWith('\n')
  await appendToFile(folder, path, cut ? `\n${gap}` : gap)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
