import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ClientKind, GatewayAddress } from '@mobius-mcp/config'
import { UserError } from '../user-error.ts'

export interface ConnectOptions {
  write?: boolean
  url?: string
  keyVariable?: string
  name: string
  config?: string[]
}

/**
 * `mobius connect`: the entry for Mobius in another client's configuration, on stdout or in the
 * client's own file.
 */
export async function connectClient(text: string, options: ConnectOptions): Promise<number> {
  const { clientFiles, connectClientFile, printClientEntry } = await import('@mobius-mcp/config')
  const client = await toClient(text)
  const entry = { client, name: options.name, address: toAddress(options) }
  const places = { cwd: process.cwd(), home: homedir(), env: process.env }
  const [own] = clientFiles(client, places)
  if (options.write && own) {
    await connectClientFile(own.path, entry)
    process.stderr.write(`Written to ${own.path}. Start ${client} again to see it.\n`)
    return 0
  }
  process.stdout.write(printClientEntry(entry))
  process.stderr.write(`This belongs into ${own?.path}; --write puts it there.\n`)
  return 0
}

async function toClient(text: string): Promise<ClientKind> {
  const { clientKinds } = await import('@mobius-mcp/config')
  const client = clientKinds.find((kind) => kind === text)
  if (client) return client
  throw new UserError(
    `Cannot connect ${JSON.stringify(text)}: expected one of ${clientKinds.join(', ')}`,
  )
}

/** A URL, or this very program: clients start it wherever they are, so every path is absolute. */
function toAddress({ url, keyVariable, config = [] }: ConnectOptions): GatewayAddress {
  if (url !== undefined) return { kind: 'http', url, keyVariable }
  if (keyVariable !== undefined) {
    throw new UserError('--key-variable is for a gateway behind a URL: give --url too')
  }
  const paths = config.flatMap((path) => ['--config', resolve(path)])
  const [node, program = ''] = process.argv
  // What npx unpacked is gone some day: the client asks it again.
  return program.includes('/_npx/') || program.includes('\\_npx\\')
    ? { kind: 'stdio', command: 'npx', args: ['-y', '@mobius-mcp/gateway', 'stdio', ...paths] }
    : {
        kind: 'stdio',
        command: node ?? 'node',
        args: [...process.execArgv, program, 'stdio', ...paths],
      }
}
