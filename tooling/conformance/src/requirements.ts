import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** Which scenarios a revision of MCP demands of a server, in the suite's own words. */
export interface Requirements {
  scored: readonly string[]
  unscored: readonly string[]
}

const File = z.object({
  server: z.array(z.string()).min(1),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })),
})

/** Reads the frozen list that the suite itself scores by, out of its package. */
export function readRequirements(suite: string, revision: string): Requirements {
  const path = join(suite, 'requirements', `${revision}.yaml`)
  const { server, not_scored } = File.parse(parse(readFileSync(path, 'utf8')))
  return {
    scored: server,
    unscored: not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario),
  }
}
