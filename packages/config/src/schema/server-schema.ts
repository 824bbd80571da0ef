import * as z from 'zod/mini'
import { checkHookKey, checkHookTarget } from '../hook-key.ts'
import type {
  CommonEntry,
  HookEntry,
  HooksEntry,
  OAuthEntry,
  ServerEntry,
  TimeoutsEntry,
} from './config-file.ts'
import {
  checkArgument,
  checkCommand,
  checkHeader,
  checkHeaderName,
  checkNotEmpty,
  checkOutsideName,
  checkScope,
  checkUrl,
  checkVariableName,
} from './rules.ts'
import {
  choice,
  closed,
  count,
  duration,
  flag,
  list,
  map,
  read,
  text,
  wholeNumber,
} from './schema-parts.ts'

/** The keys that only one kind of server has. */
export const kindKeys: readonly string[] = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'oauth',
]

export function serversSchema(): z.ZodMiniType<Record<string, ServerEntry>> {
  const common = commonShape()
  const server = z.discriminatedUnion(
    'type',
    [
      closed({
        type: z.literal('stdio'),
        command: text(checkCommand),
        args: z.exactOptional(list(text(checkArgument))),
        env: z.exactOptional(map(text(checkArgument), checkVariableName)),
        cwd: z.exactOptional(text(checkCommand)),
        ...common,
      }),
      closed({
        type: z.enum(['http', 'sse']),
        url: text(checkUrl),
        headers: z.exactOptional(map(text(checkHeader), checkHeaderName)),
        oauth: z.exactOptional(oauthSchema()),
        ...common,
      }),
    ],
    { error: 'a map' },
  )
  return map(server)
}

type Shape<Entry> = { [Key in keyof Entry]-?: z.ZodMiniType<NonNullable<Entry[Key]>> }

/** Each key of an entry that may be left out. */
type OptionalShape<Entry> = {
  [Key in keyof Shape<Entry>]: z.ZodMiniExactOptional<Shape<Entry>[Key]>
}

function commonShape(): OptionalShape<CommonEntry> {
  const timeouts = timeoutsSchema()
  const override = closed({
    name: z.exactOptional(text(checkOutsideName)),
    description: z.exactOptional(text()),
  })
  return {
    enabled: z.exactOptional(flag()),
    sharing: z.exactOptional(choice(['session', 'principal', 'process'])),
    timeouts: z.exactOptional(timeouts),
    idleTimeout: z.exactOptional(duration()),
    maxInFlight: z.exactOptional(count()),
    plainNames: z.exactOptional(flag()),
    tools: z.exactOptional(map(closed({ timeouts: z.exactOptional(timeouts) }))),
    toolOverrides: z.exactOptional(map(override)),
    hooks: z.exactOptional(hooksSchema()),
  }
}

function timeoutsSchema(): z.ZodMiniType<TimeoutsEntry> {
  const limit = z.exactOptional(duration())
  return closed({ request: limit, idle: limit, total: limit })
}

function oauthSchema(): z.ZodMiniType<OAuthEntry> {
  const expected = 'a list of scopes, or text that holds them with spaces between'
  const scopes = read(
    z.union([z.string(), list(text(checkScope))], { error: expected }),
    expected,
    (value) => {
      const words = typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value
      return words.every((word) => checkScope(word) === undefined) ? words : undefined
    },
  )
  return closed({
    clientId: z.exactOptional(text(checkNotEmpty)),
    clientSecret: z.exactOptional(text(checkNotEmpty)),
    scopes: z.exactOptional(scopes),
    callbackPort: z.exactOptional(wholeNumber('a port, from 1 to 65535', { min: 1, max: 65_535 })),
    issuer: z.exactOptional(text(checkUrl)),
    clientMetadataUrl: z.exactOptional(text(checkUrl)),
  })
}

export function hooksSchema(): z.ZodMiniType<HooksEntry> {
  const error = 'a target: server/tool, !mutate:server/tool, or a map with target and more'
  return map(list(z.union([text(checkHookTarget), hookSchema()], { error })), checkHookKey)
}

function hookSchema(): z.ZodMiniType<HookEntry> {
  return closed({
    target: text(checkHookTarget),
    mutate: z.exactOptional(flag()),
    with: z.exactOptional(z.record(z.string(), z.unknown(), { error: 'a map of arguments' })),
    priority: z.exactOptional(
      wholeNumber('a whole number; higher ones run earlier', { min: -1e6, max: 1e6 }),
    ),
    timeout: z.exactOptional(duration()),
    onError: z.exactOptional(choice(['deny', 'allow'])),
    enabled: z.exactOptional(flag()),
    if: z.exactOptional(text(checkNotEmpty)),
    redact: z.exactOptional(flag()),
  })
}
