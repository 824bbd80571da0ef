import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClock } from '@mobius-mcp/testing'
import { describeState } from '@mobius-mcp/testing/state/describe-state.ts'
import { describeTokens } from '@mobius-mcp/testing/state/describe-tokens.ts'
import type { OpenPlace } from '@mobius-mcp/testing/state/place.ts'
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
  const place = await open(createTestClock())
  return {
    tokens: place.state.tokens,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
})
