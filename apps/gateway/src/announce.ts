import type { Gateway } from './assemble.ts'

export interface Announcement {
  /** `http://host:port`, without a path. */
  readonly url: string
  readonly gateway: Gateway
  /** Makes a browser the operator's, once. */
  readonly token: string
}

/** Says, in a few lines on stderr, where the gateway is and what to do next. */
export function announce({ url, gateway, token }: Announcement): void {
  const { current, paths } = gateway.live
  const found = paths.length > 0
  const servers = current.servers.length
  const lines = found
    ? [
        `${current.file}: ${servers} ${servers === 1 ? 'server' : 'servers'}; edits are applied as they are saved`,
      ]
    : [
        'No configuration found: only the built-in servers are here. Add yours to mobius.yaml:',
        '  mcpServers:',
        '    everything: { command: npx, args: [-y, "@modelcontextprotocol/server-everything"] }',
        `It is used as soon as it is there. Point an MCP client at ${url}/mcp`,
      ]
  const next = found
    ? [`One server alone, names untouched: ${url}/mcp/s/<server>. Its state: mobius servers`]
    : []
  const operator = `To make a browser the operator's, once: ${url}/operator?token=${token}`
  const text = [`Mobius serves MCP at ${url}/mcp`, ...lines, ...next, operator, ''].join('\n')
  process.stderr.write(text)
}
