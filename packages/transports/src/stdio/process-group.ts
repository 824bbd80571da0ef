import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Clock } from '@mobius-mcp/protocol'
import { hasRunningMembers } from './has-running-members.ts'
import { killOnExit } from './kill-on-exit.ts'

const isWindows = process.platform === 'win32'

/**
 * A child and all that it started: `npx` is a parent of the real server, and must not be all that
 * goes. On POSIX the child leads a process group of its own (spawn it `detached`); on Windows the
 * tree is found by `taskkill`.
 */
export class ProcessGroup {
  readonly #child: ChildProcess
  readonly #pid: number
  readonly #clock: Clock
  readonly #forget: () => void
  #ended: Promise<void> | undefined

  constructor(child: ChildProcess, pid: number, clock: Clock) {
    this.#child = child
    this.#pid = pid
    this.#clock = clock
    this.#forget = killOnExit(() => this.#killNow())
  }

  /** Waits for all to go by themselves, then asks (SIGTERM), then kills. May be called again. */
  end(graces: { stdin: number; term: number }): Promise<void> {
    this.#ended ??= this.#holding(() => this.#end(graces)).finally(this.#forget)
    return this.#ended
  }

  /** The clock's timers do not keep a process alive, and one that closes its children should wait for them. */
  async #holding(work: () => Promise<void>): Promise<void> {
    const hold = setInterval(() => {}, 60_000)
    try {
      await work()
    } finally {
      clearInterval(hold)
    }
  }

  async #end(graces: { stdin: number; term: number }): Promise<void> {
    if (await this.#isGone(graces.stdin, () => this.#hasLeader)) return
    if (isWindows) {
      spawn('taskkill', ['/pid', String(this.#pid), '/T', '/F'], {
        windowsHide: true,
        stdio: 'ignore',
      })
        // Without taskkill the child alone is killed.
        .on('error', () => this.#child.kill())
      await this.#isGone(graces.term)
      return
    }
    this.#signal('SIGTERM')
    if (await this.#isGone(graces.term)) return
    this.#signal('SIGKILL')
    await this.#isGone(killGrace)
  }

  /** Waits until nobody is left, at most `within` milliseconds and while `worthwhile`. */
  async #isGone(within: number, worthwhile = () => true): Promise<boolean> {
    const deadline = this.#clock.now() + within
    for (let pause = 5; await this.#isAlive(); pause = Math.min(pause * 2, 50)) {
      const left = deadline - this.#clock.now()
      if (left <= 0 || !worthwhile()) return false
      await new Promise<void>((resolve) => {
        this.#clock.set(resolve, Math.min(pause, left))
      })
    }
    return true
  }

  /** False once the child itself is gone: those that it left behind heard of no end of stdin. */
  get #hasLeader(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async #isAlive(): Promise<boolean> {
    if (this.#hasLeader) return true
    return !isWindows && this.#signal(0) && (await hasRunningMembers(this.#pid))
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(-this.#pid, signal)
      return true
    } catch (error) {
      // EPERM: somebody is left who changed user.
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  }

  #killNow(): void {
    if (isWindows)
      spawnSync('taskkill', ['/pid', String(this.#pid), '/T', '/F'], { windowsHide: true })
    else this.#signal('SIGKILL')
  }
}

const killGrace = 1000
