import type { Gateway } from './assemble.ts'

export interface Announcement {
  /** `http://host:port`, without a path. */
  readonly url: string
  readonly gateway: Gateway
  /** Makes a browser the operator's, once. */
  readonly token: string
}

/**
 * Says, in a few lines on stderr, where the gateway is and what to do next. Where the configuration
 * wants JSON there, the address alone, as an entry of the log.
 */
export function announce({ url, gateway, token }: Announcement): void {
  const { live, seeing } = gateway
  const { current, paths } = live
  if (current.log.format === 'json') {
    seeing.logger.info(`Mobius serves MCP at ${url}/mcp`, { configuration: paths })
    return
  }
  const lines = paths.length > 0 ? withConfiguration(url, gateway) : withoutConfiguration(url)
  const operator = `To make a browser the operator's, once: ${url}/operator?token=${token}`
  process.stderr.write([`Mobius serves MCP at ${url}/mcp`, ...lines, operator, ''].join('\n'))
}

function withConfiguration(url: string, { live }: Gateway): string[] {
  const { file, servers } = live.current
  const count = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`
  return [
    `${file}: ${count}; edits are applied as they are saved`,
    `One server alone, names untouched: ${url}/mcp/s/<server>. Its state: mobius servers`,
  ]
}

function withoutConfiguration(url: string): string[] {
  return [
    'No configuration found: only the built-in servers are here. Add yours to mobius.yaml:',
    '  mcpServers:',
    '    everything: { command: npx, args: [-y, "@modelcontextprotocol/server-everything"] }',
    `It is used as soon as it is there. Point an MCP client at ${url}/mcp`,
  ]
}
