import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../counterparts/', import.meta.url))

/** How to get them, for whoever lacks them. */
export const howToInstall =
  'npx -y pnpm@12.21.0 --dir tooling/counterparts install --frozen-lockfile'

/** Whether the foreign servers and clients are here. CI says that they must be. */
export function counterpartsInstalled(): boolean {
  const installed = existsSync(`${folder}node_modules/.bin/mcp-server-everything`)
  if (!installed && process.env.MOBIUS_REQUIRE_COUNTERPARTS) {
    throw new Error(`The counterparts are not installed. Run: ${howToInstall}`)
  }
  return installed
}

/** The program of a counterpart. */
export function counterpart(name: string): string {
  return `${folder}node_modules/.bin/${name}`
}
