interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds. */
  readonly timeout: number
}

/** Runs a program and gives what it prints. Throws an error that says why there is nothing. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options: RunOptions,
) => Promise<string>

const longest = 2 ** 20

/** Without a shell: nothing in the arguments means anything to anybody but the program. */
export const runProgram: RunProgram = async (program, args, options) => {
  const { execFile } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { ...options, maxBuffer: longest, killSignal: 'SIGKILL', windowsHide: true },
      (error, stdout) => {
        if (error) reject(new Error(explain(error, options.timeout)))
        else resolve(stdout)
      },
    )
    // Whoever reads a password here would wait for ever.
    child.stdin?.end()
  })
}

/** Nothing of what the program wrote: it may be the secret. */
function explain(
  error: { code?: string | number | null; killed?: boolean; signal?: string | null },
  timeout: number,
): string {
  const { code, killed, signal } = error
  if (code === 'ENOENT') return 'there is no such program'
  if (code === 'EACCES') return 'it may not be run by this user'
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `it printed more than ${longest} characters`
  if (killed) return `it did not end within ${timeout / 1000} s`
  if (typeof code === 'number') return `it ended with exit code ${code}; run it yourself to see why`
  return signal ? `it was ended by ${signal}` : 'it could not be run'
}
