import { type ChildProcess, spawn } from 'node:child_process'

/** How a child ended: its exit code, or the signal that ended it. */
export type Exit = number | NodeJS.Signals

/** A running program with a process group of its own. */
export interface Child {
  readonly exited: Promise<Exit>
  /** The end of what it wrote, for a message about its failure. */
  output(): string
  /** Ends the whole group, politely at first, and waits for it. */
  stop(): Promise<void>
}

const graceMs = 5000
const keptOutput = 64_000

/**
 * The children of one run. All of them end when it is disposed of, when `signal` aborts, and at
 * the latest when this process exits. A child is only ever ended by its own id.
 */
export class Processes implements AsyncDisposable {
  readonly #groups = new Map<number, Child>()
  readonly #outputs: { title: string; read: () => string }[] = []
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', this.#stopAll)
    process.on('exit', this.#killAll)
  }

  /** Starts Node on a program, or another command. Throws once the run was aborted. */
  start(command: string, args: readonly string[], options: { cwd?: string } = {}): Child {
    this.#signal.throwIfAborted()
    const child = spawn(command, args, {
      ...options,
      // A group of its own: the terminal's Ctrl-C reaches this process alone, which then ends
      // everything in order, grandchildren included.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = collectOutput(child)
    this.#outputs.push({ title: [command, ...args].join(' '), read: output.read })
    const { promise: exited, resolve } = Promise.withResolvers<Exit>()
    child.on('error', ({ message }) => {
      output.add(message)
      resolve(1)
    })
    const { pid } = child
    if (pid === undefined) return { exited, output: output.read, stop: () => Promise.resolve() }
    child.on('exit', (code, signal) => {
      signalGroup(pid, 'SIGKILL')
      this.#groups.delete(pid)
      resolve(code ?? signal ?? 1)
    })
    const running = { exited, output: output.read, stop: () => stopGroup(pid, exited) }
    this.#groups.set(pid, running)
    return running
  }

  /** What every child has written so far, for whoever has to find out what went wrong. */
  transcript(): string {
    return this.#outputs.map(({ title, read }) => `$ ${title}\n${read()}\n`).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopAll()
    this.#signal.removeEventListener('abort', this.#stopAll)
    process.off('exit', this.#killAll)
  }

  readonly #stopAll = async (): Promise<void> => {
    await Promise.all([...this.#groups.values()].map((child) => child.stop()))
  }

  readonly #killAll = (): void => {
    for (const pid of this.#groups.keys()) signalGroup(pid, 'SIGKILL')
  }
}

async function stopGroup(pid: number, exited: Promise<Exit>): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs)
  await exited
  clearTimeout(timer)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty already.
  }
}

function collectOutput({ stdout, stderr }: ChildProcess): {
  add(text: string): void
  read(): string
} {
  let kept = ''
  const add = (text: string): void => {
    kept = (kept + text).slice(-keptOutput)
  }
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', add)
  return { add, read: () => kept.trim() }
}
