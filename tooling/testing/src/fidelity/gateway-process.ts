import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../probe/recording.ts'
import type { Endpoint } from './target.ts'

const gateway = new URL('../../../../apps/gateway/', import.meta.url)
/** `MOBIUS_TESTS_USE=dist` tests what was built, and is faster; what is written is tested otherwise. */
const program =
  process.env.MOBIUS_TESTS_USE === 'dist'
    ? [fileURLToPath(new URL('dist/main.mjs', gateway))]
    : ['--conditions=@mobius-mcp/source', fileURLToPath(new URL('src/main.ts', gateway))]
const address = /http:\/\/127\.0\.0\.1:\d+/
const startWithin = 10_000
const stopWithin = 5_000

/** How to start a `mobius` command. */
export function mobiusCommand(args: readonly string[]): Extract<Endpoint, { kind: 'stdio' }> {
  return { kind: 'stdio', command: process.execPath, args: [...program, ...args], env: {} }
}

/** A running gateway. */
export interface GatewayProcess extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string
  readonly pid: number
  /** The lines it has written on stderr so far. */
  readonly said: readonly string[]
}

/** What a gateway is started with. */
export interface GatewayOptions {
  /** What stands in the configuration file. */
  config: JsonObject
  /** More options of `mobius serve`. */
  args?: readonly string[]
  env?: Record<string, string>
}

/** Starts the gateway on a free port with a state folder of its own. */
export async function openGateway({
  config,
  args: more = [],
  env,
}: GatewayOptions): Promise<GatewayProcess> {
  await using opened = new AsyncDisposableStack()
  const { path: folder } = opened.use(await mkdtempDisposable(join(tmpdir(), 'gateway-')))
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(config))
  const options = ['--listen', '127.0.0.1:0', '--state', join(folder, 'state')]
  const { command, args } = mobiusCommand(['serve', file, ...options, ...more])
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const said: string[] = []
  opened.defer(() => stop(child, exited, said))
  const origin = await readOrigin(child, said)
  const lifetime = opened.move()
  const pid = child.pid ?? 0
  return { origin, pid, said, [Symbol.asyncDispose]: () => lifetime.disposeAsync() }
}

/** What one server of a verbose gateway wrote beside the protocol, as the gateway logged it. */
export function linesOf({ said }: GatewayProcess, server: string): string[] {
  return said
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { server?: string; message: string })
    .filter((entry) => entry.server === server)
    .map(({ message }) => message.replace(/^On stdout, where only MCP may stand: /, ''))
}

/** The address that the gateway says on stderr; fails with all it said if there is none. */
async function readOrigin(child: ChildProcess, said: string[]): Promise<string> {
  if (child.stderr === null) {
    throw new Error('The gateway has no stderr to read its address from.')
  }
  const deadline = setTimeout(() => child.kill('SIGKILL'), startWithin)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stderr })
    .on('line', (line) => {
      said.push(line)
      const [origin] = address.exec(line) ?? []
      if (origin !== undefined) {
        resolve(origin)
      }
    })
    .on('close', () => {
      reject(new Error(`The gateway ended without saying its address:\n${said.join('\n')}`))
    })
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
  }
}

async function stop(
  child: ChildProcess,
  exited: Promise<unknown>,
  said: readonly string[],
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    const how = child.exitCode ?? child.signalCode
    throw new Error(`The gateway ended by itself with ${how}:\n${said.join('\n')}`)
  }
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopWithin)
  await exited
  clearTimeout(deadline)
}
