import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Ask, Commands, Reply } from './commands.ts'
import { pinnedCommand } from './pin.ts'

/** A Node process of ours that answers commands. Disposing ends it and waits for its end. */
export interface Child<C extends Commands<C>> extends AsyncDisposable {
  pid: number
  ask<K extends keyof C & string>(
    command: K,
    ...input: Parameters<C[K]>
  ): Promise<Awaited<ReturnType<C[K]>>>
}

export interface ChildOptions {
  /** The processor it is pinned to, where the platform can; the load runs on 0, what is measured on 1. */
  cpu: 0 | 1
  env?: NodeJS.ProcessEnv
}

const inspectModule = new URL('inspect.ts', import.meta.url).href
const stopWithin = 3_000

/** Starts `node ...args` with garbage collection exposed and the inspecting commands preloaded. */
export async function startChild<C extends Commands<C>>(
  args: readonly string[],
  { cpu, env = {} }: ChildOptions,
): Promise<Child<C>> {
  const flags = ['--conditions=@mobius-mcp/source', '--expose-gc', '--import', inspectModule]
  const [command, ...rest] = pinnedCommand(cpu, [process.execPath, ...flags, ...args])
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  await once(child, 'spawn')
  return createChild(child, args)
}

/** Starts `node ...args` and nothing else, the way a user would. */
export async function startPlain(
  args: readonly string[],
  { cpu, env = {} }: ChildOptions,
): Promise<AsyncDisposable> {
  const [command, ...rest] = pinnedCommand(cpu, [process.execPath, ...args])
  const child = spawn(command, rest, {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  await once(child, 'spawn')
  return { [Symbol.asyncDispose]: () => stop(child) }
}

/** The arguments that run one of our own modules. */
export function moduleArgs(module: URL, ...args: string[]): string[] {
  return [fileURLToPath(module), ...args]
}

function createChild<C extends Commands<C>>(
  child: ChildProcess,
  args: readonly string[],
): Child<C> {
  const pending = new Map<number, (reply: Reply) => void>()
  const tail = keepTail(child)
  let lastAsk = 0

  child.on('message', (message: Reply) => pending.get(message.reply)?.(message))
  child.on('exit', (code, signal) => {
    const error = `node ${args.join(' ')} ended (${code ?? signal}):\n${tail()}`
    for (const settle of pending.values()) settle({ reply: 0, error })
  })

  return {
    pid: child.pid ?? 0,
    async ask(command, ...input) {
      const number = ++lastAsk
      const reply = await new Promise<Reply>((resolve) => {
        pending.set(number, resolve)
        child.send({ ask: number, command, input: input[0] } satisfies Ask, (error) => {
          if (error !== null) resolve({ reply: number, error: `${error.message}\n${tail()}` })
        })
      })
      pending.delete(number)
      if (reply.error !== undefined) throw new Error(`${command}: ${reply.error}`)
      // `answerCommands` answers with what the command of this name returned.
      return reply.value as never
    },
    [Symbol.asyncDispose]: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithin)
  await ended
  clearTimeout(timer)
}

/** The last lines a child wrote, for the message when it fails. */
function keepTail(child: ChildProcess): () => string {
  let tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      tail = (tail + chunk).slice(-2_000)
    })
  }
  return () => tail
}
