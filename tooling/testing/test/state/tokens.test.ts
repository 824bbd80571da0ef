import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryTokens } from '@mobius-mcp/state'
import { openFileTokens } from '@mobius-mcp/state/file'
import { describeTokens } from '../../src/state/describe-tokens.ts'

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
