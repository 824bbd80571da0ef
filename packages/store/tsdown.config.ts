import { thirdPartyNotices } from '@mobius-mcp/bundling'
import { defineConfig, type UserConfig } from 'tsdown'

const config: UserConfig = defineConfig({
  dts: true,
  deps: {
    // One file is loaded in a tenth of the time that its 200 modules take.
    alwaysBundle: [/^drizzle-orm/],
    onlyBundle: false,
  },
  plugins: [thirdPartyNotices],
})

export default config
