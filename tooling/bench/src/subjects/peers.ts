import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upstream } from './contract.ts'
import type { GatewayCommand, GatewayPlace } from './gateway-command.ts'

/** A gateway from npm, pinned in `tooling/counterparts`. */
export interface Peer extends GatewayCommand {
  version: string
}

interface PeerRecipe extends Omit<GatewayCommand, 'prepare'> {
  entry: string
  prepare(entry: string, place: GatewayPlace): ReturnType<GatewayCommand['prepare']>
}

/** The peers that are installed under a `node_modules`, and the names of those that are not. */
export function findPeers(modules: string): { peers: Peer[]; missing: string[] } {
  const [found, missing] = [recipes.filter(isInstalled), recipes.filter((r) => !isInstalled(r))]
  return {
    peers: found.map((recipe) => ({
      ...recipe,
      version: readVersion(join(modules, recipe.name, 'package.json')),
      prepare: (place) => recipe.prepare(join(modules, recipe.name, recipe.entry), place),
    })),
    missing: missing.map(({ name }) => name),
  }

  function isInstalled(recipe: PeerRecipe): boolean {
    return existsSync(join(modules, recipe.name, recipe.entry))
  }
}

const plainTool: GatewayCommand['toolName'] = (_server, tool) => tool

const recipes: readonly PeerRecipe[] = [
  {
    name: 'mcp-proxy',
    entry: 'dist/bin/mcp-proxy.mjs',
    perSession: 'an SDK server for each session, all over one shared upstream process',
    dialect: 'streamable',
    aggregates: false,
    reaches: ['stdio'],
    toolName: plainTool,
    async prepare(entry, { port, servers }) {
      const command = onlyCommand(servers)
      return { args: [entry, '--host', '127.0.0.1', '--port', String(port), '--', ...command] }
    },
  },
  {
    name: 'supergateway',
    entry: 'dist/index.js',
    perSession:
      'an upstream process of its own for each session (stateful mode), started through a shell',
    dialect: 'streamable',
    aggregates: false,
    reaches: ['stdio'],
    toolName: plainTool,
    async prepare(entry, { port, servers }) {
      const line = onlyCommand(servers)
        .map((word) => `'${word}'`)
        .join(' ')
      const output = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none']
      return { args: [entry, '--stdio', line, ...output, '--port', String(port)] }
    },
  },
  {
    name: 'mcp-hub',
    entry: 'dist/cli.js',
    perSession: 'an SDK server for each session (SSE only), all over one shared upstream process',
    dialect: 'sse',
    aggregates: true,
    reaches: ['stdio', 'http'],
    toolName: (server, tool) => `${server}__${tool}`,
    async prepare(entry, { port, servers, folder }) {
      const config = join(folder, 'hub.json')
      await writeFile(config, JSON.stringify({ mcpServers: servers }))
      // It keeps logs and caches in the home folder otherwise.
      const env = {
        HOME: folder,
        XDG_STATE_HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      }
      return { args: [entry, '--port', String(port), '--config', config], env }
    },
  },
]

function onlyCommand(servers: { [name: string]: Upstream }): string[] {
  const [upstream] = Object.values(servers)
  if (upstream === undefined || 'url' in upstream) throw new Error('It bridges one stdio server.')
  return [upstream.command, ...upstream.args]
}

function readVersion(manifest: string): string {
  // The manifest of an installed package always has its version.
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
