import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing/temporary-folder.ts'
import { type MobiusOptions, startServing } from './mobius.ts'

const effectsServer = join(import.meta.dirname, 'effects-server.mjs')

/** A folder in which a gateway can be started again and again. */
export interface Place extends AsyncDisposable {
  readonly folder: string
  /** What the calls of the server `effects` have left behind. */
  effects(): Promise<string[]>
  /** Writes a file; `mobius.yaml` gets the server `effects` beside its text. */
  write(text: string, file?: string): Promise<void>
  serve(args?: readonly string[]): ReturnType<typeof startServing>
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
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
