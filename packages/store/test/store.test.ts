import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, type OpenPlace } from '../../state/test/contracts/place.ts'
import { describeState } from '../../state/test/contracts/state.ts'
import { describeTokens } from '../../state/test/contracts/tokens.ts'
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

describeState('SQLite', open)
describeTokens('SQLite', async () => {
  const place = await open(createManualClock())
  return {
    tokens: place.state.tokens,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
})
