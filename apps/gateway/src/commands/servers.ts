import type { ServerState } from '@mobius-mcp/tools-service'
import { assemble } from '../assemble.ts'
import { formatTable } from '../format-table.ts'
import type { CommonOptions } from '../program.ts'

export interface ServersOptions extends CommonOptions {
  config?: string
  json?: boolean
}

/** `mobius servers`: tries every server. The exit code is 1 where one of them is not ready. */
export async function servers(options: ServersOptions): Promise<number> {
  await using gateway = await assemble(options.config, options)
  await gateway.service.probe()
  const states = gateway.service.states()
  process.stdout.write(options.json ? `${JSON.stringify(states, null, 2)}\n` : format(states))
  return states.every(({ state }) => state === 'ready' || state === 'disabled') ? 0 : 1
}

function format(states: readonly ServerState[]): string {
  const rows = states.map(({ name, kind, state, offers, reason = '' }) => [
    name,
    kind,
    state,
    counts(offers),
    reason,
  ])
  return formatTable(['server', 'kind', 'state', 'offers', 'reason'], rows)
}

function counts({ tools, prompts, resources }: ServerState['offers']): string {
  const parts = [
    [tools, 'tools'],
    [prompts, 'prompts'],
    [resources, 'resources'],
  ] as const
  return parts.flatMap(([count, what]) => (count ? [`${count} ${what}`] : [])).join(', ')
}
