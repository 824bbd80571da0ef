import * as z from 'zod/mini'
import type { LogSettings, SessionSettings } from '../configuration.ts'
import { listenForm, parseListenAddress } from '../listen-address.ts'
import { nearest } from '../nearest.ts'
import { checkReference, checkToolReference } from '../reference.ts'
import { agentsSchema, promptsSchema, rulesSchema } from './agent-schema.ts'
import type { ConfigFile, HttpEntry, KeyEntry, PublishEntry } from './config-file.ts'
import { modelsSchema, variablesSchema } from './model-schema.ts'
import {
  checkAllowedHost,
  checkCommand,
  checkKey,
  checkNotEmpty,
  checkOrigin,
  checkOutsideName,
  checkPlainName,
  checkProxy,
  checkScope,
} from './rules.ts'
import {
  choice,
  closed,
  count,
  duration,
  flag,
  list,
  map,
  type Rule,
  read,
  size,
  text,
} from './schema-parts.ts'
import { hooksSchema, serversSchema } from './server-schema.ts'

const sections: { readonly [Key in keyof ConfigFile]-?: () => z.ZodMiniType<ConfigFile[Key]> } = {
  mcpServers: serversSchema,
  agents: agentsSchema,
  models: modelsSchema,
  prompts: promptsSchema,
  env: variablesSchema,
  publish: publishSchema,
  groups: () => map(publishSchema(), checkPlainName),
  hooks: hooksSchema,
  permissions: rulesSchema,
  http: httpSchema,
  log: logSchema,
  state: () => text(checkCommand),
}

/**
 * What the files may say, all together. Schemas are costly to make and used once, so there is
 * nothing in it for a section that no file has.
 */
export function createSchema(present?: (section: string) => boolean): z.ZodMiniType<ConfigFile> {
  const shape: Record<string, z.ZodMiniType> = {}
  for (const [name, make] of Object.entries(sections)) {
    if (name === 'mcpServers') shape[name] = make()
    else if (present === undefined || present(name)) shape[name] = z.exactOptional(make())
  }
  // What is not there cannot be in the output either, which no type can say.
  const schema: unknown = closed(shape, { known: Object.keys(sections) })
  return schema as z.ZodMiniType<ConfigFile>
}

function publishSchema(): z.ZodMiniType<PublishEntry> {
  const references = z.exactOptional(list(text(checkReference)))
  return closed(
    {
      include: references,
      exclude: z.exactOptional(list(text((value) => checkReference(`!${value}`)))),
      rename: z.exactOptional(map(text(checkOutsideName), checkToolReference)),
      describe: z.exactOptional(map(text(), checkToolReference)),
      entrypoint: references,
      mcpServers: references,
    },
    {
      known: ['include', 'exclude', 'rename', 'describe', 'entrypoint'],
      expected: 'a list of references, or a map with include, exclude, rename, describe',
    },
  )
}

function logSchema(): z.ZodMiniType<LogSettings> {
  return closed({
    level: z.exactOptional(choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'])),
    format: z.exactOptional(choice(['auto', 'human', 'json'])),
    hookTrace: z.exactOptional(flag()),
  })
}

function httpSchema(): z.ZodMiniType<HttpEntry> {
  return closed({
    listen: z.exactOptional(read(z.string({ error: listenForm }), listenForm, parseListenAddress)),
    allowedHosts: z.exactOptional(list(text(checkAllowedHost))),
    allowedOrigins: z.exactOptional(list(text(checkOrigin))),
    trustedProxies: z.exactOptional(list(text(checkProxy))),
    maxBodyBytes: z.exactOptional(size()),
    keepAlive: z.exactOptional(duration()),
    keys: z.exactOptional(keysSchema()),
    sessions: z.exactOptional(sessionsSchema()),
  })
}

function keysSchema(): z.ZodMiniType<KeyEntry[]> {
  const entry: z.ZodMiniType<KeyEntry> = closed({
    name: text(checkNotEmpty),
    key: text(checkKey),
    scopes: z.exactOptional(list(text(checkKeyScope))),
    publish: z.exactOptional(publishSchema()),
  })
  return list(entry).check(({ value, issues }) => {
    for (const member of ['name', 'key'] as const) {
      const seen = new Set<string>()
      for (const [index, { [member]: own }] of value.entries()) {
        const path = [index, member]
        const message = `a ${member} of its own; another entry has the same`
        if (seen.has(own)) issues.push({ code: 'custom', message, path, input: value })
        seen.add(own)
      }
    }
  })
}

const keyScopes = ['operator']

/** Any scope may be asked for by somebody; a slip in one that means something here is none of them. */
const checkKeyScope: Rule = (scope) => {
  const meant = keyScopes.includes(scope) ? undefined : nearest(scope, keyScopes)
  return checkScope(scope) ?? (meant === undefined ? undefined : `a scope such as ${meant}`)
}

function sessionsSchema(): z.ZodMiniType<SessionSettings> {
  return closed({ idleTimeout: z.exactOptional(duration()), max: z.exactOptional(count()) })
}
