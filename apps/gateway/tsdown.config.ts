import { thirdPartyNotices } from '@mobius-mcp/bundling'
import { defineConfig, type UserConfig } from 'tsdown'

// One program in a few files starts in half the time that 300 modules of its dependencies take.
const config: UserConfig = defineConfig({
  entry: 'src/main.ts',
  dts: false,
  deps: {
    neverBundle: [
      // Large, and loaded only when a server is reached over HTTP.
      /^@modelcontextprotocol\//,
      // Its migrations and its native part are files beside it.
      /^@mobius-mcp\/store$/,
    ],
    alwaysBundle: [/./],
    onlyBundle: false,
  },
  // Where a package has both, its modules: what it has beside them may not survive being bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  plugins: [thirdPartyNotices],
})

export default config
