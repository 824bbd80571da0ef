import { dialects } from '@mobius-mcp/testing/models/dialects.ts'
import type { Fixture } from '@mobius-mcp/testing/models/fixture.ts'
import { type Exchange, type Loopback, openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { describe } from 'vitest'
import { createModels, type Model, type ModelsOptions } from '../../src/index.ts'

interface Asked extends AsyncDisposable {
  readonly model: Model
  readonly server: Loopback
}

export const key = 'sk-secret-0123456789'

export interface Scene {
  readonly fixture: Fixture
  /** A model behind a loopback server that gives these answers, one after the other. */
  serve(exchanges: readonly Exchange[], options?: ModelsOptions): Promise<Asked>
}

/** The same tests over all dialects. */
export function describeDialects(tests: (scene: Scene) => void): void {
  for (const fixture of dialects) {
    describe(fixture.dialect, () => {
      tests({
        fixture,
        async serve(exchanges, options) {
          const server = await openLoopback(exchanges)
          const baseUrl = `${server.url}${fixture.basePath}`
          const models = createModels({
            retry: { attempts: 1 },
            ...options,
            providers: { vendor: { dialect: fixture.dialect, baseUrl, key } },
          })
          return {
            model: models.model(`vendor/${fixture.model}`),
            server,
            [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
          }
        },
      })
    })
  }
}
