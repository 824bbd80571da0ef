import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** How to start a program of this repository, from source. */
export interface NodeCommand {
  readonly command: string
  readonly args: readonly string[]
}

export function nodeCommand(program: URL, ...args: readonly string[]): NodeCommand {
  const source = ['--conditions=@mobius-mcp/source', fileURLToPath(program)]
  return { command: process.execPath, args: [...source, ...args] }
}

/** A running program. Disposing of it kills it. */
export interface NodeProgram extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** How it ended and all that it said on stderr, once it has. */
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>
}

/** Starts a program of this repository from source, with a pipe for each of its streams. */
export function openNodeProgram(program: URL, ...options: readonly string[]): NodeProgram {
  const { command, args } = nodeCommand(program, ...options)
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = Promise.all([text(child.stderr), once(child, 'exit')]).then(
    ([stderr, [code, signal]]) => ({ code, signal, stderr }),
  )
  return {
    child,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
