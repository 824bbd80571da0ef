import picomatch from 'picomatch'
import type { View } from './options.ts'

/** A reference in a list: `[!]server[/name][:alias]`, with `*` in server and name. */
export interface Ref {
  readonly exclude: boolean
  readonly server: string
  /** `undefined` for the whole server. */
  readonly name: string | undefined
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
  const slash = rest.indexOf('/')
  const server = slash < 0 ? rest : rest.slice(0, slash)
  const tail = slash < 0 ? undefined : rest.slice(slash + 1)
  // Names may hold colons, URIs always do: only a last plain word is an alias.
  const match = tail === undefined ? undefined : /^(.+):([A-Za-z0-9_-]+)$/.exec(tail)
  const name = match?.[1] ?? tail
  const alias = match?.[2]
  if (server === '' || name === '') {
    throw new TypeError(
      `Invalid reference ${JSON.stringify(text)}: expected "server", "server/tool" or "server/tool:alias"`,
    )
  }
  if (alias !== undefined && (exclude || isGlob(server) || isGlob(name ?? ''))) {
    throw new TypeError(
      `Invalid reference ${JSON.stringify(text)}: an alias renames one tool, so neither "*" nor "!" may stand with it`,
    )
  }
  return { exclude, server, name, alias }
}

/** What a list of references lets through. */
export interface Selection {
  /** Whether anything of the server may be in. */
  server(server: string): boolean
  /** Whether the thing is in, and under which alias. */
  select(server: string, name: string): { alias: string | undefined } | undefined
  describe(server: string, name: string): string | undefined
}

/** Compiles references. An exclusion wins over every inclusion; of aliases, the last stands. */
export function compileView(view: View): Selection {
  const refs = view.refs.map(parseRef).map(compileRef)
  const includes = refs.filter((ref) => !ref.exclude)
  const excludes = refs.filter((ref) => ref.exclude)
  return {
    server: (server) =>
      includes.some((ref) => ref.matchServer(server)) &&
      !excludes.some((ref) => ref.matchName === undefined && ref.matchServer(server)),
    select(server, name) {
      const matches = (ref: CompiledRef) =>
        ref.matchServer(server) && (ref.matchName?.(name) ?? true)
      if (excludes.some(matches)) return undefined
      const found = includes.filter(matches)
      if (found.length === 0) return undefined
      return { alias: found.findLast((ref) => ref.alias !== undefined)?.alias }
    },
    describe: (server, name) => view.describe?.[`${server}/${name}`],
  }
}

interface CompiledRef {
  exclude: boolean
  alias: string | undefined
  matchServer(server: string): boolean
  matchName: ((name: string) => boolean) | undefined
}

function compileRef(ref: Ref): CompiledRef {
  return {
    exclude: ref.exclude,
    alias: ref.alias,
    matchServer: matcher(ref.server),
    matchName: ref.name === undefined || ref.name === '*' ? undefined : matcher(ref.name),
  }
}

function matcher(pattern: string): (text: string) => boolean {
  if (!isGlob(pattern)) return (text) => text === pattern
  // `bash` lets "*" match slashes too, which names and URIs may hold.
  return picomatch(pattern, { bash: true, dot: true, nonegate: true, noextglob: true })
}

function isGlob(text: string): boolean {
  return text.includes('*')
}
