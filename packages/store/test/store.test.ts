import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeJournal } from '../../state/test/contracts/journal.ts'
import { describeLeases } from '../../state/test/contracts/leases.ts'
import type { OpenPlace } from '../../state/test/contracts/place.ts'
import { openStore } from '../src/index.ts'

const open: OpenPlace = async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'mobius-store-'))
  const state = await openStore(join(folder, 'state.db'), { clock })
  return {
    state,
    async [Symbol.asyncDispose]() {
      await state.close()
      await rm(folder, { recursive: true })
    },
  }
}

describeLeases('SQLite', open)
describeJournal('SQLite', open)
