import type { Gateway } from './assemble.ts'

export interface Announcement {
  /** `http://host:port`, without a path. */
  readonly url: string
  readonly gateway: Gateway
}

/** Says, in a few lines on stderr, where the gateway is and what to do next. */
export function announce({ url, gateway }: Announcement): void {
  const { configuration } = gateway
  const servers = configuration?.servers.length ?? 0
  const lines = configuration
    ? [`${configuration.file}: ${servers} ${servers === 1 ? 'server' : 'servers'}`]
    : [
        'No configuration found: only the built-in servers are here. Add yours to mobius.yaml:',
        '  mcpServers:',
        '    everything: { command: npx, args: [-y, "@modelcontextprotocol/server-everything"] }',
      ]
  const next = configuration
    ? `One server alone, names untouched: ${url}/mcp/s/<server>. Its state: mobius servers`
    : `Then start again, and point an MCP client at ${url}/mcp`
  process.stderr.write([`Mobius serves MCP at ${url}/mcp`, ...lines, next, ''].join('\n'))
}
