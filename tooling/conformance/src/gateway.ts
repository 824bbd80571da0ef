import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Environment,
  findFreePort,
  sourceArgs,
  startFixture,
  waitUntilAnswering,
} from './launch.ts'

const gateway = new URL('../../../apps/gateway/src/main.ts', import.meta.url)
const server = 'fixture'

/** Starts the gateway with a fixture that it reaches over stdio, and returns that server's URL. */
export async function startOverStdio(environment: Environment, fixture: URL): Promise<string> {
  return await startGateway(environment, { command: process.execPath, args: sourceArgs(fixture) })
}

/** The same with a fixture that it reaches over Streamable HTTP. */
export async function startOverHttp(environment: Environment, fixture: URL): Promise<string> {
  const url = await startFixture(environment, fixture)
  return await startGateway(environment, { type: 'http', url })
}

async function startGateway({ processes, folder }: Environment, entry: object): Promise<string> {
  const config = join(folder, 'mobius.yaml')
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ mcpServers: { [server]: entry } }))
  const port = await findFreePort()
  const listen = `127.0.0.1:${port}`
  const child = processes.start(process.execPath, [
    ...sourceArgs(gateway),
    ...['serve', config, '--listen', listen, '--state', join(folder, 'state')],
  ])
  await waitUntilAnswering(`http://${listen}/readyz`, child)
  return `http://localhost:${port}/mcp/s/${server}`
}
