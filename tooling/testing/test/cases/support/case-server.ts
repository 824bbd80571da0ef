import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../../src/probe/recording.ts'

const program = fileURLToPath(new URL('./server.mjs', import.meta.url))

/** How odd a server is; see `server.mjs`. */
export interface CaseServerOptions {
  readonly tools?: readonly string[]
  readonly pageSize?: number
  readonly log?: string
  readonly hangs?: boolean
  readonly deaf?: boolean
  readonly early?: readonly string[]
  readonly late?: readonly string[]
  readonly tells?: boolean
  readonly ends?: boolean
  readonly endsWith?: string
}

/** An entry of `mcpServers` for a server of the cases. */
export function caseServer(options: CaseServerOptions = {}, ...args: string[]): JsonObject {
  return { command: process.execPath, args: [program, JSON.stringify(options), ...args] }
}

/** What a server was told so far, by the `log` that it was given. */
export async function readLog(log: string): Promise<JsonObject[]> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}
