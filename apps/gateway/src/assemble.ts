import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Configuration } from '@mobius-mcp/config'
import type { MessageHandler } from '@mobius-mcp/protocol'
import { createMetaServer } from '@mobius-mcp/server-meta'
import { type FileCatalog, openFileCatalog } from '@mobius-mcp/state/file'
import { createToolsService, type ToolsService } from '@mobius-mcp/tools-service'
import { connect, type ServerOptions } from '@mobius-mcp/transports'
import { stateFolder } from './folders.ts'
import type { CommonOptions } from './program.ts'
import { toView } from './to-view.ts'
import { version } from './version.ts'

/** A gateway without doors: whoever assembles it opens them. */
export interface Gateway extends AsyncDisposable {
  readonly configuration: Configuration | undefined
  readonly service: ToolsService
  /** Everything that is published, as one server. */
  readonly published: MessageHandler
  readonly state: string
}

/**
 * Reads the configuration and assembles everything behind the doors. Nothing is started.
 *
 * @throws ConfigError, with all that is wrong in the file.
 */
export async function assemble(
  config: string | undefined,
  options: CommonOptions,
): Promise<Gateway> {
  const { env, platform } = process
  const home = homedir()
  const configuration = await readConfiguration(config, home)
  const state = stateFolder({ argument: options.state, env, home, platform })
  const log = options.verbose ? printLog : () => {}
  const catalog = openFileCatalog(join(state, 'catalog'), {
    onProblem: (problem) => log('catalog', problem.message),
  })
  const service = createService(catalog, state, log)
  service.apply({ servers: configuration?.servers ?? [] })
  return {
    configuration,
    service,
    state,
    published: service.publish(toView(configuration, builtInForClients)),
    async [Symbol.asyncDispose]() {
      await service.close()
      await catalog.close()
    },
  }
}

/** Built-in servers that clients see where the configuration does not say otherwise. */
const builtInForClients = ['meta']

function createService(
  catalog: FileCatalog,
  state: string,
  log: (source: string, line: string) => void,
): ToolsService {
  const service = createToolsService({
    catalog,
    folder: state,
    info: { name: 'mobius', title: 'Mobius', version },
    connect: (server, { signal, log: note }) =>
      connect(server.connection as ServerOptions, { signal, log: ({ text }) => note(text) }),
    onLog: log,
  })
  service.addServer(
    createMetaServer({
      version,
      servers: () => service.states(),
      watchServers: (listener) => service.watchStates(listener),
      recent: service.recent,
    }),
  )
  return service
}

async function readConfiguration(
  argument: string | undefined,
  home: string,
): Promise<Configuration | undefined> {
  const { env } = process
  const { findConfig, formatProblem, loadConfig } = await import('@mobius-mcp/config')
  const found = await findConfig({ argument, env, cwd: process.cwd(), home })
  if (!found) return undefined
  const configuration = await loadConfig(found.file, { env, knownServers: builtInForClients })
  for (const warning of configuration.warnings) process.stderr.write(`${formatProblem(warning)}\n`)
  return configuration
}

function printLog(source: string, line: string): void {
  process.stderr.write(`[${source || 'mobius'}] ${line}\n`)
}
