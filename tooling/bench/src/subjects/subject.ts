import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from '../http/contract.ts'
import { freePort, untilServing } from '../http/serving.ts'
import { type Child, moduleArgs, startChild } from '../process/child.ts'
import type { HttpSubjectCommands } from '../process/http-subject.ts'
import type { InspectCommands } from '../process/inspect.ts'
import type { HttpSubjectOptions, Upstream } from './contract.ts'
import { type GatewayCommand, targetOf } from './gateway-command.ts'
import type { HttpModuleName } from './modules.ts'

/** Something that answers `tools/call` over HTTP, and can be compared with others that do. */
export interface Subject {
  name: string
  role: 'ours' | 'baseline' | 'peer'
  start(): Promise<RunningSubject>
}

/** Disposing it ends its processes. */
export interface RunningSubject extends AsyncDisposable {
  target: Target
  child: Child<InspectCommands>
}

/** The minimal stdio server as a command. */
export function stdioEcho(...args: string[]): { command: string; args: string[] } {
  const script = fileURLToPath(new URL('../echo/stdio.ts', import.meta.url))
  return { command: process.execPath, args: [script, ...args] }
}

/** A subject that is a module of this folder. */
export function moduleSubject(
  role: Subject['role'],
  module: HttpModuleName,
  { name = module, ...options }: HttpSubjectOptions & { name?: string } = {},
): Subject {
  return { role, name, start: () => startModule(module, options) }
}

/** A subject that is a program of its own, in front of one echo. */
export function commandSubject(
  role: Subject['role'],
  command: GatewayCommand,
  upstream: Upstream,
): Subject {
  return { role, name: command.name, start: () => startCommand(command, upstream) }
}

async function startModule(
  module: HttpModuleName,
  options: HttpSubjectOptions,
): Promise<RunningSubject> {
  const script = new URL('../process/http-subject.ts', import.meta.url)
  const child = await startChild<HttpSubjectCommands>(moduleArgs(script, module), { cpu: 1 })
  try {
    const { url, tool } = await child.ask('start', options)
    return {
      target: { url, tool, dialect: 'streamable' },
      child,
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    }
  } catch (error) {
    await child[Symbol.asyncDispose]()
    throw error
  }
}

async function startCommand(command: GatewayCommand, upstream: Upstream): Promise<RunningSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'mobius-bench-'))
  const port = await freePort()
  const { args, env = {} } = await command.prepare({ port, folder, servers: { echo: upstream } })
  const child = await startChild<InspectCommands>(args, { cpu: 1, env })
  const running: RunningSubject = {
    target: targetOf(command, port),
    child,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    await untilServing(running.target, { tools: 1, timeout: 20_000 })
    return running
  } catch (error) {
    await running[Symbol.asyncDispose]()
    throw error
  }
}
