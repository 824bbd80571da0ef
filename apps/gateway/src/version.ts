import { createRequire } from 'node:module'

const manifest = createRequire(import.meta.url)('../package.json') as { version: string }

/** The version of the gateway. */
export const version: string = manifest.version
