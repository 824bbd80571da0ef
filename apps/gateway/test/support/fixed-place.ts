import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '@mobius-mcp/testing/free-port.ts'
import { openTemporaryFolder } from '@mobius-mcp/testing/temporary-folder.ts'
import { type Mobius, startMobius } from './mobius.ts'

/** A folder and an address at which a gateway can be started again and again. */
export interface FixedPlace extends AsyncDisposable {
  readonly folder: string
  readonly url: string
  serve(args?: string[]): Promise<Mobius>
}

export async function openFixedPlace(configuration: object): Promise<FixedPlace> {
  const folder = await openTemporaryFolder()
  const { path } = folder
  await writeFile(join(path, 'mobius.yaml'), JSON.stringify(configuration))
  const address = `127.0.0.1:${await findFreePort()}`
  return {
    folder: path,
    url: `http://${address}/mcp`,
    async serve(args = []) {
      const mobius = await startMobius(['serve', ...args, '--listen', address], {
        cwd: path,
        env: { MOBIUS_STATE: join(path, 'state') },
      })
      await mobius.said(/serves MCP at /)
      return mobius
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Ends a gateway without a word, and waits until it is gone. */
export async function kill(mobius: Mobius): Promise<void> {
  mobius.child.kill('SIGKILL')
  await mobius.ended()
}
