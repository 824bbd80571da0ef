import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mobiusCommand } from '@mobius-mcp/testing/fidelity/gateway-process.ts'

/** A `mobius` command at a terminal. */
export interface AtTerminal extends AsyncDisposable {
  /** All that was shown so far, without what moves the cursor. */
  readonly shown: string
  /** All that was shown so far, as it came. */
  readonly raw: string
  /** Waits until this is shown after what was waited for before. */
  sees(text: string): Promise<void>
  type(text: string): void
  /** Its exit code, when it has ended. */
  ended(): Promise<number>
}

export interface TerminalOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Where there is no `script` of util-linux, there is no terminal for tests. */
export const hasTerminal: boolean = process.platform === 'linux'

export const ctrlC = '\u0003'
export const ctrlD = '\u0004'

/** Starts a command on a pseudo-terminal of its own: `script`, which every Linux has, gives it one. */
export function startAtTerminal(args: readonly string[], options: TerminalOptions): AtTerminal {
  const mobius = mobiusCommand(args)
  // Without `exec` a shell would stand between, and have its own opinion of Ctrl-C.
  const line = `exec ${[mobius.command, ...mobius.args].map(quote).join(' ')}`
  // Under CI nothing is coloured.
  const { CI: _ci, ...around } = process.env
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', line, '/dev/null'],
    {
      cwd: options.cwd,
      env: { ...around, HOME: options.cwd, TERM: 'xterm', NO_COLOR: '', ...options.env },
      stdio: 'pipe',
      detached: true,
    },
  )
  const exited = once(child, 'close') as Promise<[number | null, string | null]>
  let raw = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text
  })
  const shown = () => withoutMoves(raw)
  return {
    get raw() {
      return raw
    },
    get shown() {
      return shown()
    },
    async sees(text) {
      for (;;) {
        const at = shown().indexOf(text, seen)
        if (at >= 0) {
          seen = at + text.length
          return
        }
        const isOver = child.exitCode !== null
        if (isOver)
          throw new Error(`It ended and never showed ${JSON.stringify(text)}:\n${shown()}`)
        await Promise.race([once(child.stdout, 'data'), exited])
      }
    },
    type: (text) => void child.stdin.write(text),
    async ended() {
      const [code] = await exited
      return code ?? -1
    },
    async [Symbol.asyncDispose]() {
      // The whole group: `script` and what it started.
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await exited
    },
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function withoutMoves(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return text.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '')
}
