import { drainList, initialize, type JsonObject, openInProcess } from '@mobius-mcp/protocol'
import type { ServerReport } from '@mobius-mcp/server-meta'
import { assemble } from '../assemble.ts'
import { attach } from '../attach.ts'
import { CommandConfiguration } from '../command-configuration.ts'
import { formatTable } from '../format-table.ts'
import type { ConfigOptions } from '../program.ts'
import { withSpinner } from '../progress.ts'
import { findAttachable } from '../reach.ts'
import { version } from '../version.ts'
import { runningServers } from './servers.ts'

export interface ToolsOptions extends ConfigOptions {
  json?: boolean
}

/** `mobius tools`: what a client would see, asked as a client. */
export async function tools(options: ToolsOptions): Promise<number> {
  const { found, missing } = await withSpinner('Listing tools', () => listTools(options))
  for (const { name, reason } of missing) process.stderr.write(`Not here: ${name}: ${reason}\n`)
  if (options.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  else {
    const rows = found.map(({ name, description }) => [String(name), firstLine(description)])
    process.stdout.write(formatTable(['tool', 'description'], rows))
  }
  return 0
}

interface Listed {
  readonly found: readonly JsonObject[]
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

async function listTools(options: ConfigOptions): Promise<Listed> {
  const configuration = new CommandConfiguration(options)
  const running = await findAttachable(configuration)
  if (running) {
    const session = await attach(running, '/mcp', 'client')
    try {
      const found = await drainList(session, 'tools')
      return { found, missing: missingOf(await runningServers(running)) }
    } finally {
      await session.close()
    }
  }
  await using gateway = await assemble({ ...options, configuration })
  const session = openInProcess(gateway.published)
  await initialize(session, { info: { name: 'mobius tools', version }, capabilities: {} })
  const found = await drainList(session, 'tools')
  await session.close()
  return { found, missing: missingOf(gateway.service.states()) }
}

type Known = Pick<ServerReport, 'name' | 'state' | 'reason'>

/** Whose tools are not among those listed, and why. */
function missingOf(servers: readonly Known[]): Listed['missing'] {
  return servers.flatMap(({ name, state, reason }) => {
    if (reason !== undefined) return [{ name, reason }]
    return state === 'starting' ? [{ name, reason: 'it is still starting' }] : []
  })
}

function firstLine(description: unknown): string {
  if (typeof description !== 'string') return ''
  const line = description.trim().split('\n', 1)[0] ?? ''
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}
