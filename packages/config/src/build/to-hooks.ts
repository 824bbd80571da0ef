import { type HookParams, parseHookKey, parseHookTarget } from '@mobius-mcp/hooks'
import type { JsonObject } from '@mobius-mcp/protocol'
import type { HookSettings } from '../configuration.ts'
import { targetReference } from '../hook-key.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import type { ConfigFile, HookEntry, HooksEntry } from '../schema/config-file.ts'
import { freeze } from './freeze.ts'

const defaultTimeout = 30_000

/** All hooks: those of all servers, then each server's and each agent's own. `root` is where they stand. */
export function toHooks(
  config: ConfigFile,
  { root, known }: { readonly root: SourceNode; readonly known: readonly string[] },
): HookSettings[] {
  const hooks = toAll(config.hooks ?? {}, { node: memberOf(root, 'hooks'), more: {}, known })
  for (const section of ['mcpServers', 'agents'] as const) {
    const entries = memberOf(root, section)
    for (const [server, { hooks: own }] of Object.entries(config[section] ?? {})) {
      const node = memberOf(memberOf(entries, server), 'hooks')
      if (own) hooks.push(...toAll(own, { node, more: { server }, known }))
    }
  }
  const times = new Map<string, number>()
  return hooks.map(({ settings, hidden }) => {
    const { id } = settings
    const time = (times.get(id) ?? 0) + 1
    times.set(id, time)
    const hook = time === 1 ? settings : { ...settings, id: `${id} (${time})` }
    // Whoever prints the hook sees nothing of what a variable put in; whoever calls it reads it.
    if (!hidden) return hook
    const frozen = freeze(hidden)
    return Object.defineProperty(hook, 'with', { get: () => frozen })
  })
}

interface MadeHook {
  readonly settings: HookSettings
  /** Fixed arguments with secrets in them. */
  readonly hidden: JsonObject | undefined
}

interface HooksContext {
  readonly node: SourceNode | undefined
  readonly more: HookParams
  readonly known: readonly string[]
}

function toAll(entry: HooksEntry, { node, more, known }: HooksContext): MadeHook[] {
  return Object.entries(entry).flatMap(([text, items]) => {
    const { point, params } = parseHookKey(text)
    const list = memberOf(node, text)
    return items.map((item, index) => {
      const settings = toHook({ point, params: { ...params, ...more } }, item, known)
      const own = memberOf(memberOf(list, `${index}`), 'with')
      if (!settings.with || !own || !holdsSecret(own)) return { settings, hidden: undefined }
      const { with: hidden, ...rest } = settings
      return { settings: rest, hidden }
    })
  })
}

function holdsSecret(node: SourceNode): boolean {
  if (node.kind === 'scalar') return node.references.length > 0
  const members = node.kind === 'list' ? node.items : [...node.members.values()]
  return members.some(holdsSecret)
}

function toHook(
  key: { readonly point: string; readonly params: HookParams },
  item: string | HookEntry,
  known: readonly string[],
): HookSettings {
  const { target: text, ...entry } = typeof item === 'string' ? { target: item } : item
  const { target, mutate } = parseHookTarget(text, known)
  const params = Object.entries(key.params).sort(([a], [b]) => (a < b ? -1 : 1))
  const query = params.map(([name, value]) => `${name}=${value}`).join('&')
  return {
    id: `${key.point}${query && `?${query}`} ${targetReference(text)}`,
    ...key,
    target,
    mutate: mutate && (entry.mutate ?? true),
    ...(entry.with && { with: entry.with }),
    priority: entry.priority ?? 0,
    timeout: entry.timeout ?? defaultTimeout,
    onError: entry.onError ?? 'deny',
    enabled: entry.enabled ?? true,
    ...(entry.if !== undefined && { if: entry.if }),
    ...(entry.redact !== undefined && { redact: entry.redact }),
  }
}
