import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type StoreOptions } from '../src/index.ts'

/** A folder that ends with the test, and the store in it. */
export async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'mobius-store-'))
  const file = join(folder, 'state', 'state.db')
  return {
    folder,
    file,
    open: (options?: StoreOptions) => openStore(file, options),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
