import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is gone, with all in it, when it is disposed. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

export async function openTemporaryFolder(): Promise<TemporaryFolder> {
  return await mkdtempDisposable(join(tmpdir(), 'mobius-test-'))
}
