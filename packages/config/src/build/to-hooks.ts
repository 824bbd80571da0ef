import type { HookSettings } from '../configuration.ts'
import { parseHookKey, parseHookTarget } from '../hook-key.ts'
import type { ConfigFile, HookEntry, HooksEntry } from '../schema/config-file.ts'
import { toRecord } from './freeze.ts'

const defaultTimeout = 30_000

/** All hooks: those of all servers, then each server's own. */
export function toHooks(config: ConfigFile, known: readonly string[]): HookSettings[] {
  const ids = new Map<string, number>()
  const hooks = toAll(config.hooks ?? {}, {}, known)
  for (const [server, { hooks: own }] of Object.entries(config.mcpServers)) {
    if (own) hooks.push(...toAll(own, { server }, known))
  }
  return hooks.map((hook) => {
    const times = (ids.get(hook.id) ?? 0) + 1
    ids.set(hook.id, times)
    return times === 1 ? hook : { ...hook, id: `${hook.id} (${times})` }
  })
}

function toAll(
  entry: HooksEntry,
  more: Readonly<Record<string, string>>,
  known: readonly string[],
): HookSettings[] {
  return Object.entries(entry).flatMap(([text, items]) => {
    const key = parseHookKey(text)
    // The schema has refused it.
    if (typeof key === 'string') return []
    const params = toRecord({ ...key.params, ...more })
    return items.map((item) => toHook({ point: key.point, params }, item, known))
  })
}

function toHook(
  key: { readonly point: string; readonly params: Readonly<Record<string, string>> },
  item: string | HookEntry,
  known: readonly string[],
): HookSettings {
  const { target: text, ...entry } = typeof item === 'string' ? { target: item } : item
  const { reference, mutate } = parseHookTarget(text)
  const params = Object.entries(key.params).sort(([a], [b]) => (a < b ? -1 : 1))
  const query = params.map(([name, value]) => `${name}=${value}`).join('&')
  return {
    id: `${key.point}${query && `?${query}`} ${reference}`,
    ...key,
    target: splitTarget(reference, known),
    mutate: mutate && (entry.mutate ?? true),
    ...(entry.with && { with: entry.with }),
    priority: entry.priority ?? 0,
    timeout: entry.timeout ?? defaultTimeout,
    onError: entry.onError ?? 'deny',
    enabled: entry.enabled ?? true,
    ...(entry.if !== undefined && { if: entry.if }),
  }
}

/** Names of servers may hold slashes: the longest that fits is meant. */
function splitTarget(
  reference: string,
  known: readonly string[],
): { server: string; tool: string } {
  const server = known
    .filter((name) => reference.startsWith(`${name}/`))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), '')
  return { server, tool: reference.slice(server.length + 1) }
}
