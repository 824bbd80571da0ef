import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileTokens } from '../src/file.ts'
import { createMemoryTokens } from '../src/index.ts'
import { describeTokens } from './contracts/tokens.ts'

describeTokens('memory', async () => ({
  tokens: createMemoryTokens(),
  async [Symbol.asyncDispose]() {},
}))

describeTokens('files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mobius-tokens-'))
  return {
    tokens: openFileTokens(join(folder, 'tokens')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})
