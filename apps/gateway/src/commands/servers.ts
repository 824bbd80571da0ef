import { isObject } from '@mobius-mcp/protocol'
import type { ServerReport } from '@mobius-mcp/server-meta'
import { assemble } from '../assemble.ts'
import { attach } from '../attach.ts'
import { CommandConfiguration } from '../command-configuration.ts'
import { formatTable } from '../format-table.ts'
import type { ConfigOptions } from '../program.ts'
import { withSpinner } from '../progress.ts'
import { findAttachable } from '../reach.ts'
import type { RunningGateway } from '../running-gateway.ts'

export interface ServersOptions extends ConfigOptions {
  json?: boolean
}

/** A server as this command shows it: the running gateway says the time its own way. */
type ShownServer = Pick<ServerReport, 'name' | 'kind' | 'state' | 'reason' | 'offers'>

/**
 * `mobius servers`: how the servers of the running gateway are; where none runs, tries every
 * server. The exit code is 1 where one of them is not as it should be.
 */
export async function servers(options: ServersOptions): Promise<number> {
  const states = await withSpinner('Asking servers', () => statesOf(options))
  process.stdout.write(options.json ? `${JSON.stringify(states, null, 2)}\n` : format(states))
  return states.every(({ reason, state }) => reason === undefined || state === 'disabled') ? 0 : 1
}

async function statesOf(options: ConfigOptions): Promise<readonly ShownServer[]> {
  const configuration = new CommandConfiguration(options)
  const running = await findAttachable(configuration)
  if (running) return await runningServers(running)
  await using gateway = await assemble({ ...options, configuration })
  await gateway.service.probe()
  return gateway.service.states()
}

/** What a running gateway says of its servers. */
export async function runningServers(running: RunningGateway): Promise<readonly ShownServer[]> {
  const session = await attach(running, '/mcp/s/meta')
  try {
    const { structuredContent } = await session.request('tools/call', { name: 'list_servers' })
    return isObject(structuredContent) && Array.isArray(structuredContent.servers)
      ? (structuredContent.servers as unknown as readonly ShownServer[])
      : []
  } finally {
    await session.close()
  }
}

function format(states: readonly ShownServer[]): string {
  const rows = states.map(({ name, kind, state, offers, reason = '' }) => [
    name,
    kind,
    state,
    counts(offers),
    reason,
  ])
  return formatTable(['server', 'kind', 'state', 'offers', 'reason'], rows)
}

function counts({ tools, prompts, resources }: ShownServer['offers']): string {
  const parts = [
    [tools, 'tools'],
    [prompts, 'prompts'],
    [resources, 'resources'],
  ] as const
  return parts.flatMap(([count, what]) => (count ? [`${count} ${what}`] : [])).join(', ')
}
