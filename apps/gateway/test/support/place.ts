import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing/temporary-folder.ts'
import { type Mobius, type MobiusOptions, startMobius, startServing } from './mobius.ts'
import { type AtTerminal, startAtTerminal } from './terminal.ts'

const effectsServer = join(import.meta.dirname, 'effects-server.mjs')
const askingServer = join(import.meta.dirname, 'asking-server.mjs')

/** A server that asks things, beside `effects`: what stands under `mcpServers` for it. */
export const asking: string = `  asking: { command: ${process.execPath}, args: [${askingServer}] }\n`

/** A folder in which a gateway can be started again and again. */
export interface Place extends AsyncDisposable {
  readonly folder: string
  /** What the calls of the server `effects` have left behind. */
  effects(): Promise<string[]>
  /** Writes a file; `mobius.yaml` gets the server `effects` beside its text. */
  write(text: string, file?: string): Promise<void>
  serve(args?: readonly string[]): ReturnType<typeof startServing>
  /** Starts another command there. */
  start(...args: string[]): Promise<Mobius>
  /** Runs one to its end, with a text on its stdin. */
  run(args: string[], input?: string): Promise<{ code: number | string } & Mobius['output']>
  /** Starts one at a terminal. */
  sit(...args: string[]): AtTerminal
}

/** Makes a place whose `mobius.yaml` has the server `effects`, and what is given. */
export async function openPlace(
  more: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const folder = await openTemporaryFolder()
  const effects = join(folder.path, 'effects.txt')
  const server = `{ command: ${process.execPath}, args: [${effectsServer}], env: { EFFECTS: ${effects} } }`
  const options: MobiusOptions = {
    cwd: folder.path,
    env: { ...env, MOBIUS_STATE: join(folder.path, 'state') },
  }
  const write = async (text: string, file = 'mobius.yaml') => {
    const path = join(folder.path, file)
    await mkdir(dirname(path), { recursive: true })
    const whole = file === 'mobius.yaml' ? `mcpServers:\n  effects: ${server}\n${text}` : text
    await writeFile(path, whole)
  }
  await writeFile(effects, '')
  await write(more)
  return {
    folder: folder.path,
    effects: async () => (await readFile(effects, 'utf8')).split('\n').filter(Boolean),
    write,
    serve: (args = []) => startServing([...args], options),
    start: (...args) => startMobius(args, options),
    async run(args, input = '') {
      await using mobius = await startMobius(args, options)
      mobius.child.stdin?.end(input)
      const code = await mobius.ended()
      return { code, ...mobius.output }
    },
    sit: (...args) => startAtTerminal(args, { cwd: folder.path, env: options.env ?? {} }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
