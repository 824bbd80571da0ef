import type { PublicationHost } from './publication-host.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

/** A server's instructions are cut here: they are text of others, and there may be many. */
const longest = 2000

/** The instructions of every server that has been seen before, under its name. */
export async function describeServers(
  host: PublicationHost,
  root: Root,
  servers: readonly Server[],
): Promise<string | undefined> {
  const sections: string[] = []
  for (const server of servers) {
    const initialize = await host.lists.initializeOf(root, server)
    const instructions = initialize?.instructions
    if (typeof instructions !== 'string' || instructions === '') continue
    const text = instructions.length > longest ? `${instructions.slice(0, longest)}…` : instructions
    sections.push(`## ${server.name}\n\n${text}`)
  }
  return sections.length > 0 ? sections.join('\n\n') : undefined
}
