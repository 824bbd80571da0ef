import { readdir, readFile } from 'node:fs/promises'

interface Process {
  readonly pid: number
  readonly parent: number
}

/** Everything that a process started and that still runs, down to the last grandchild. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = (await Promise.all(names.map(readProcess))).flat()
  const below = (parent: number): number[] =>
    processes
      .filter((each) => each.parent === parent)
      .flatMap((each) => [each.pid, ...below(each.pid)])
  return below(pid)
}

/** Whether a process runs; one that is dead and was not waited for does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readProcess(String(pid))).length > 0
}

async function readProcess(name: string): Promise<Process[]> {
  const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
  // "pid (name) state parent …", and the name may hold anything.
  const [state = 'X', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 'ZX'.includes(state) ? [] : [{ pid: Number(name), parent: Number(parent) }]
}
