import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@mobius-mcp/source', ...defaultServerConditions] } },
  test: {
    include: ['{packages,packages/servers,apps,tooling}/*/test/**/*.test.ts'],
    // Processes start slowly on a busy machine, and how fast is not what tests are about.
    testTimeout: 20_000,
    expect: { poll: { timeout: 5_000 } },
  },
})
