import { isIP } from 'node:net'
import { z } from 'zod'
import type {
  ConfigFile,
  HttpEntry,
  PublishEntry,
  ServerEntry,
  TimeoutsEntry,
} from './config-file.ts'
import type { BearerKey, SessionSettings } from './configuration.ts'
import { isHostName, listenForm, parseListenAddress } from './listen-address.ts'
import { checkReference, checkToolReference, isOutsideName, outsideNameForm } from './reference.ts'
import {
  choice,
  closed,
  count,
  duration,
  flag,
  list,
  map,
  read,
  size,
  text,
} from './schema-parts.ts'

/** What a file may say. Made for each file, so that nothing is built before it is needed. */
export function createSchema(): z.ZodType<ConfigFile> {
  return closed({
    mcpServers: map(serverSchema()),
    publish: publishSchema().exactOptional(),
    http: httpSchema().exactOptional(),
  })
}

/** The keys that only one kind of server has. */
export const serverKeys: readonly string[] = ['command', 'args', 'env', 'cwd', 'url', 'headers']

function serverSchema(): z.ZodType<ServerEntry> {
  const common = {
    enabled: flag().exactOptional(),
    sharing: choice(['session', 'principal', 'process']).exactOptional(),
    timeouts: timeoutsSchema().exactOptional(),
    idleTimeout: duration().exactOptional(),
    plainNames: flag().exactOptional(),
    tools: map(closed({ timeouts: timeoutsSchema().exactOptional() })).exactOptional(),
  }
  const remote = {
    url: text(checkUrl),
    headers: map(text(checkHeader), checkHeaderName).exactOptional(),
  }
  return z.discriminatedUnion(
    'type',
    [
      closed({
        type: z.literal('stdio'),
        command: text(checkCommand),
        args: list(text(checkArgument)).exactOptional(),
        env: map(text(checkArgument), checkVariableName).exactOptional(),
        cwd: text(checkCommand).exactOptional(),
        ...common,
      }),
      closed({ type: z.literal('http'), ...remote, ...common }),
      closed({ type: z.literal('sse'), ...remote, ...common }),
    ],
    { error: 'a map' },
  )
}

function timeoutsSchema(): z.ZodType<TimeoutsEntry> {
  return closed({
    request: duration().exactOptional(),
    idle: duration().exactOptional(),
    total: duration().exactOptional(),
  })
}

function publishSchema(): z.ZodType<string[] | PublishEntry> {
  const references = list(text(checkReference))
  const entry = closed({
    include: references.exactOptional(),
    exclude: list(text((value) => checkReference(`!${value}`))).exactOptional(),
    rename: map(text(checkOutsideName), checkToolReference).exactOptional(),
    describe: map(text(), checkToolReference).exactOptional(),
  })
  const error = 'a list of references, or a map with include, exclude, rename, describe'
  return z.union([references, entry], { error })
}

function httpSchema(): z.ZodType<HttpEntry> {
  return closed({
    listen: read(z.string({ error: listenForm }), listenForm, parseListenAddress).exactOptional(),
    allowedHosts: list(text(checkAllowedHost)).exactOptional(),
    allowedOrigins: list(text(checkOrigin)).exactOptional(),
    trustedProxies: list(text(checkProxy)).exactOptional(),
    maxBodyBytes: size().exactOptional(),
    keepAlive: duration().exactOptional(),
    keys: keysSchema().exactOptional(),
    sessions: sessionsSchema().exactOptional(),
  })
}

function keysSchema(): z.ZodType<BearerKey[]> {
  const keys = list(closed({ name: text(checkNotEmpty), key: text(checkKey) }))
  return keys.check(({ value, issues }) => {
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

function sessionsSchema(): z.ZodType<SessionSettings> {
  return closed({ idleTimeout: duration().exactOptional(), max: count().exactOptional() })
}

type Rule = (value: string) => string | undefined

const checkNotEmpty: Rule = (value) => (value.trim() === '' ? 'text that is not empty' : undefined)
const checkCommand: Rule = (value) => checkNotEmpty(value) ?? checkArgument(value)
const checkArgument: Rule = (value) =>
  value.includes('\0') ? 'text without a NUL character' : undefined
const checkVariableName: Rule = (name) =>
  name === '' || /[=\0]/.test(name) ? 'the name of an environment variable' : undefined
const checkHeaderName: Rule = (name) =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name) ? undefined : 'the name of an HTTP header'
/** A line break, often at the end of what a variable holds, would begin another header. */
const checkHeader: Rule = (value) =>
  /[\r\n\0]/.test(value) ? 'text on one line, without a line break at its end' : undefined
const checkOutsideName: Rule = (name) => (isOutsideName(name) ? undefined : outsideNameForm)
/** What a client can send in a header, and nobody guesses. */
const checkKey: Rule = (key) =>
  /^[\x21-\x7e]{16,}$/.test(key)
    ? undefined
    : 'at least 16 characters, letters, digits and punctuation only'

const checkUrl: Rule = (value) =>
  /^https?:\/\//i.test(value) && URL.canParse(value)
    ? undefined
    : 'a URL that begins with http:// or https://'

const checkAllowedHost: Rule = (value) => {
  const [, inBrackets, name] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(?:\d{1,5}|\*))?$/i.exec(value) ?? []
  const right = inBrackets === undefined ? isHostName(name ?? '') : isIP(inBrackets) === 6
  return right ? undefined : 'host, host:port or host:*'
}

const checkOrigin: Rule = (value) =>
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#*]+$/.test(value)
    ? undefined
    : 'an origin such as https://app.example.com, without a path'

const checkProxy: Rule = (value) => {
  const [address = '', prefix] = value.split('/', 2)
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  const right = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return version !== 0 && right ? undefined : 'an IP address, or a block such as 10.0.0.0/8'
}
