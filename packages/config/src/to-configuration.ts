import { createHash } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import type { ConfigFile, HttpEntry, PublishEntry, ServerEntry } from './config-file.ts'
import type {
  Configuration,
  ConnectionSettings,
  HttpSettings,
  PublishSettings,
  ServerSettings,
} from './configuration.ts'
import type { ConfigProblem } from './errors.ts'

/** Fills in what a file leaves out, and freezes the whole. */
export function toConfiguration(
  config: ConfigFile,
  context: { readonly file: string; readonly folder: string; readonly warnings: ConfigProblem[] },
): Configuration {
  const { file, folder, warnings } = context
  const servers = Object.entries(config.mcpServers).map(([name, entry]) =>
    toServer(name, entry, folder),
  )
  return freeze({
    file,
    servers,
    publish: toPublish(config.publish ?? {}, servers),
    http: toHttp(config.http ?? {}),
    warnings,
  })
}

function toServer(name: string, entry: ServerEntry, folder: string): ServerSettings {
  const { enabled = true, sharing = 'session', timeouts = {}, plainNames = false } = entry
  const toolTimeouts = Object.entries(entry.tools ?? {}).map(
    ([tool, settings]) => [tool, settings.timeouts ?? {}] as const,
  )
  const settings = {
    connection: toConnection(entry, folder),
    sharing,
    timeouts,
    toolTimeouts: toRecord(Object.fromEntries(toolTimeouts)),
    ...(entry.idleTimeout !== undefined && { idleTimeout: entry.idleTimeout }),
    plainNames,
    disabled: !enabled,
  }
  return { name, identity: digest(settings), ...settings }
}

function toConnection(entry: ServerEntry, folder: string): ConnectionSettings {
  if (entry.type !== 'stdio') {
    const { type, url, headers = {} } = entry
    return { type, url, headers: toRecord(headers) }
  }
  const { type, command, args = [], env = {}, cwd = '' } = entry
  return { type, command, args, env: toRecord(env), cwd: isAbsolute(cwd) ? cwd : join(folder, cwd) }
}

function toPublish(
  publish: string[] | PublishEntry,
  servers: readonly ServerSettings[],
): PublishSettings {
  const entry = Array.isArray(publish) ? { include: publish } : publish
  const { include, exclude = [], rename = {}, describe = {} } = entry
  // To name only what is left out is to publish all the rest.
  const implied =
    include === undefined || (include.length > 0 && include.every((ref) => ref.startsWith('!')))
  const everything = servers.filter(({ disabled }) => !disabled).map(({ name }) => name)
  const refs = [
    ...(implied ? everything : []),
    ...(include ?? []),
    ...Object.entries(rename).map(([reference, alias]) => `${reference}:${alias}`),
    ...exclude.map((reference) => `!${reference}`),
  ]
  return { refs, implied, describe: toRecord(describe) }
}

function toHttp(http: HttpEntry): HttpSettings {
  return {
    ...http,
    allowedHosts: http.allowedHosts ?? [],
    allowedOrigins: http.allowedOrigins ?? [],
    trustedProxies: http.trustedProxies ?? [],
    keys: http.keys ?? [],
    sessions: http.sessions ?? {},
  }
}

function digest(settings: unknown): string {
  // JSON has no word for the limit that is switched off.
  const text = JSON.stringify(settings, (_, value) =>
    value === Number.POSITIVE_INFINITY ? 'off' : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

/** Without prototype, so that any name may be looked up. */
function toRecord<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), entries)
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member)
  }
  return Object.freeze(value)
}
