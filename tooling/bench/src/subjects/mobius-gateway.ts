import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GatewayCommand } from './gateway-command.ts'

const entry = fileURLToPath(new URL('../../../../apps/gateway/dist/main.mjs', import.meta.url))

/** The built `mobius serve`, as users start it. */
export const mobiusGateway: GatewayCommand = {
  name: 'mobius',
  perSession: 'a session; an upstream process of its own for each session that calls the server',
  dialect: 'streamable',
  aggregates: true,
  reaches: ['stdio', 'http'],
  toolName: (server, tool) => `${server}__${tool}`,
  async prepare({ port, folder, servers }) {
    if (!existsSync(entry)) throw new Error(`${entry} is missing; run pnpm build first.`)
    const config = join(folder, 'mcp.json')
    await writeFile(config, JSON.stringify({ mcpServers: servers }))
    const listen = ['--listen', `127.0.0.1:${port}`]
    return { args: [entry, 'serve', config, ...listen, '--state', join(folder, 'state')] }
  },
}
