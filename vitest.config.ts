import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@mobius-mcp/source', ...defaultServerConditions] } },
  test: { include: ['{packages,packages/servers,apps,tooling}/*/test/**/*.test.ts'] },
})
