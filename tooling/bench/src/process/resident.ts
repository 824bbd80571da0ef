import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory, in bytes, of a process and all it started; `undefined` where there is no `/proc`. */
export function residentOf(pid: number): number | undefined {
  try {
    const parents = readParents()
    const family = new Set([pid])
    let size: number
    do {
      size = family.size
      for (const [child, parent] of parents) if (family.has(parent)) family.add(child)
    } while (family.size > size)
    return [...family].reduce((sum, member) => sum + residentOfOne(member), 0)
  } catch {
    return undefined
  }
}

function readParents(): Map<number, number> {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isNaN(pid)) continue
    const parent = /^PPid:\s+(\d+)/m.exec(readStatus(pid))?.[1]
    if (parent !== undefined) parents.set(pid, Number(parent))
  }
  return parents
}

function residentOfOne(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readStatus(pid))?.[1] ?? 0) * 1024
}

/** Empty when the process ended meanwhile. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
