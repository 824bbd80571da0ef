import { compileGlob } from '@mobius-mcp/hooks'
import type { View } from './options.ts'

/** A reference in a list: `[!]server[/name][:alias]`, with `*` anywhere before the colon. */
export interface Ref {
  readonly exclude: boolean
  /** `server` or `server/name`. Never split: both may hold slashes. */
  readonly pattern: string
  readonly alias: string | undefined
}

/**
 * Reads a reference.
 *
 * @throws TypeError saying what is wrong with it.
 */
export function parseRef(text: string): Ref {
  const exclude = text.startsWith('!')
  const rest = exclude ? text.slice(1) : text
  // Names may hold colons, URIs always do: only a last plain word after a slash is an alias.
  const match = /^(.+\/.+):([A-Za-z0-9_-]+)$/.exec(rest)
  const pattern = match?.[1] ?? rest
  const alias = match?.[2]
  if (pattern === '' || pattern.startsWith('/') || pattern.endsWith('/')) {
    throw new TypeError(
      `Invalid reference ${JSON.stringify(text)}: expected "server", "server/tool" or "server/tool:alias"`,
    )
  }
  if (alias !== undefined && (exclude || isGlob(pattern))) {
    throw new TypeError(
      `Invalid reference ${JSON.stringify(text)}: an alias renames one tool, so neither "*" nor "!" may stand with it`,
    )
  }
  return { exclude, pattern, alias }
}

/** What a list of references lets through. */
export interface Selection {
  /** Whether anything of the server may be in. */
  server(server: string): boolean
  /** Whether the thing is in, and under which alias. */
  select(server: string, name: string): { alias: string | undefined } | undefined
  /** Whether the thing is kept out by name, whatever else lets it in. */
  excludes(server: string, name: string): boolean
  describe(server: string, name: string): string | undefined
}

/** Compiles references. An exclusion wins over every inclusion; of aliases, the last stands. */
export function compileView({ within, ...view }: View): Selection {
  const own = compileRefs(view)
  if (!within) return own
  const outer = compileRefs({ refs: within })
  return {
    server: (server) => own.server(server) && outer.server(server),
    excludes: (server, name) => own.excludes(server, name) || outer.excludes(server, name),
    select: (server, name) => (outer.select(server, name) ? own.select(server, name) : undefined),
    describe: own.describe,
  }
}

function compileRefs(view: View): Selection {
  const refs = view.refs.map(parseRef).map(compileRef)
  const includes = refs.filter((ref) => !ref.exclude)
  const excludes = refs.filter((ref) => ref.exclude)
  const stands = (ref: CompiledRef, server: string, name: string) =>
    ref.covers(server) || ref.matches(`${server}/${name}`)
  const isExcluded = (server: string, name: string) =>
    excludes.some((ref) => stands(ref, server, name))
  return {
    server: (server) =>
      includes.some((ref) => ref.touches(server)) && !excludes.some((ref) => ref.covers(server)),
    excludes: isExcluded,
    select(server, name) {
      if (isExcluded(server, name)) return undefined
      const found = includes.filter((ref) => stands(ref, server, name))
      if (found.length === 0) return undefined
      return { alias: found.findLast((ref) => ref.alias !== undefined)?.alias }
    },
    describe: (server, name) => view.describe?.[`${server}/${name}`],
  }
}

interface CompiledRef {
  exclude: boolean
  alias: string | undefined
  /** Whether it stands for the whole server. */
  covers(server: string): boolean
  /** Whether it stands for the whole server, or for something of it. */
  touches(server: string): boolean
  /** Whether it stands for `server/name`. */
  matches(path: string): boolean
}

function compileRef({ exclude, pattern, alias }: Ref): CompiledRef {
  const matches = compileGlob(pattern)
  const whole = pattern.endsWith('/*') ? compileGlob(pattern.slice(0, -2)) : matches
  const parts = pattern.split('/')
  const heads = parts.slice(1).map((_, index) => compileGlob(parts.slice(0, index + 1).join('/')))
  return {
    exclude,
    alias,
    covers: whole,
    touches: (server) => whole(server) || heads.some((head) => head(server)),
    matches,
  }
}

function isGlob(text: string): boolean {
  return text.includes('*')
}
