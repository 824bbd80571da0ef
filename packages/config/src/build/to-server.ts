import { isAbsolute, join } from 'node:path'
import type {
  ConnectionSettings,
  OAuthSettings,
  RemoteSettings,
  ServerSettings,
  StdioSettings,
} from '../configuration.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import type { OAuthEntry, ServerEntry } from '../schema/config-file.ts'
import { Secret } from '../secret.ts'
import { digest } from './digest.ts'
import { toRecord } from './freeze.ts'
import { hide, hideAll } from './hide.ts'

/** One server, with all that its entry leaves out. */
export function toServer(name: string, entry: ServerEntry, node: SourceNode): ServerSettings {
  const { enabled = true, sharing = 'session', timeouts = {}, plainNames = false } = entry
  const { idleTimeout, maxInFlight } = entry
  const toolTimeouts = Object.entries(entry.tools ?? {}).map(
    ([tool, settings]) => [tool, settings.timeouts ?? {}] as const,
  )
  const settings = {
    connection: toConnection(entry, node),
    sharing,
    timeouts,
    toolTimeouts: toRecord(Object.fromEntries(toolTimeouts)),
    ...(idleTimeout !== undefined && { idleTimeout }),
    ...(maxInFlight !== undefined && { maxInFlight }),
    plainNames,
    disabled: !enabled,
  }
  return { name, identity: digest(settings), ...settings }
}

type StdioEntry = Extract<ServerEntry, { type: 'stdio' }>
type RemoteEntry = Exclude<ServerEntry, StdioEntry>

function toConnection(entry: ServerEntry, node: SourceNode): ConnectionSettings {
  return entry.type === 'stdio' ? toStdio(entry, node) : toRemote(entry, node)
}

function toStdio(entry: StdioEntry, node: SourceNode): StdioSettings {
  const { type, command, args = [], env = {}, cwd = '' } = entry
  const { folder } = (memberOf(node, 'cwd') ?? memberOf(node, 'command') ?? node).source
  const argsNode = memberOf(node, 'args')
  return {
    type,
    command,
    args: args.map((argument, index) => hide(argument, memberOf(argsNode, `${index}`))),
    env: hideAll(env, memberOf(node, 'env')),
    cwd: isAbsolute(cwd) ? cwd : join(folder, cwd),
  }
}

function toRemote(entry: RemoteEntry, node: SourceNode): RemoteSettings {
  const { type, url, headers = {}, oauth } = entry
  return {
    type,
    url: hide(url, memberOf(node, 'url')),
    headers: hideAll(headers, memberOf(node, 'headers')),
    ...(oauth && { oauth: toOAuth(oauth) }),
  }
}

/** A secret even where the file spells it out. */
function toOAuth({ clientSecret, ...rest }: OAuthEntry): OAuthSettings {
  return clientSecret === undefined ? rest : { ...rest, clientSecret: new Secret(clientSecret) }
}
