import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mobiusCommand } from '@mobius-mcp/testing/fidelity/gateway-process.ts'

/** A `mobius` command that runs in a folder of its own. */
export interface Mobius extends AsyncDisposable {
  readonly child: ChildProcess
  readonly folder: string
  /** What it has written so far. */
  readonly output: { stdout: string; stderr: string }
  /** The first match on stderr. */
  said(pattern: RegExp): Promise<RegExpExecArray>
  /** Its exit code, or the signal that ended it, when it has ended. */
  ended(): Promise<number | string>
}

export interface MobiusOptions {
  /** Files to put into its folder, which is where it runs. */
  files?: Record<string, string>
  env?: Record<string, string>
  /** Where it runs, and its home; a folder of its own by default. */
  cwd?: string
}

/** Starts a command; it is killed when the test is done, if it still runs. */
export async function startMobius(args: string[], options: MobiusOptions = {}): Promise<Mobius> {
  const { path: folder, remove } = await mkdtempDisposable(join(tmpdir(), 'mobius-'))
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await writeFile(join(folder, name), text)
  }
  const { cwd = folder } = options
  const mobius = mobiusCommand(args)
  const child = spawn(mobius.command, mobius.args, {
    cwd,
    env: { ...process.env, HOME: cwd, MOBIUS_STATE: join(folder, 'state'), ...options.env },
    stdio: 'pipe',
  })
  const exited = once(child, 'close') as Promise<[number | null, string | null]>
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = async () => {
    const [code, signal] = await exited
    return code ?? String(signal)
  }
  return {
    child,
    folder,
    output,
    ended,
    async said(pattern) {
      for (;;) {
        const match = pattern.exec(output.stderr)
        if (match) return match
        if (child.exitCode !== null)
          throw new Error(`mobius ended and only said:\n${output.stderr}`)
        await Promise.race([once(child.stderr, 'data'), exited])
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
      await remove()
    },
  }
}

/** Runs a command to its end. */
export async function runMobius(
  args: string[],
  options: MobiusOptions = {},
): Promise<{ code: number | string; stdout: string; stderr: string; folder: string }> {
  await using mobius = await startMobius(args, options)
  mobius.child.stdin?.end()
  const code = await mobius.ended()
  return { code, ...mobius.output, folder: mobius.folder }
}

/** Starts `mobius serve` on a free port, and gives its address. */
export async function startServing(
  args: string[] = [],
  options: MobiusOptions = {},
): Promise<Mobius & { origin: string }> {
  const mobius = await startMobius(['serve', ...args, '--listen', '127.0.0.1:0'], options)
  try {
    const [, origin = ''] = await mobius.said(/serves MCP at (http:\/\/[^/\s]+)\/mcp/)
    return { ...mobius, origin }
  } catch (error) {
    await mobius[Symbol.asyncDispose]()
    throw error
  }
}
