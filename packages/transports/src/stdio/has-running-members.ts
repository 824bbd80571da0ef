import { readdir, readFile } from 'node:fs/promises'

/**
 * Whether a process of the group still runs. One that is dead but was not reaped does not count:
 * `kill` finds it, and where the first process of a container does not reap, it stays forever.
 * Where there is no `/proc` the answer is yes.
 */
export async function hasRunningMembers(groupId: number): Promise<boolean> {
  try {
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const running = await Promise.all(names.map((name) => isRunningMember(name, groupId)))
    return running.includes(true)
  } catch {
    return true
  }
}

async function isRunningMember(name: string, groupId: number): Promise<boolean> {
  const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
  // "pid (name) state parent group …", and the name may hold anything.
  const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(group) === groupId && !'ZX'.includes(state)
}
