/** The variables that a configuration may name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a reference in a value may name. */
type ReferenceKind = 'variable' | 'input' | 'file' | 'exec'

/** Where the texts come from that references stand for. */
export interface ValueSources {
  readonly env: Environment
  /** What editors' own names stand for, `workspaceFolder` and the like, unless a variable is called so. */
  readonly editorNames: ReadonlyMap<string, string>
  /** What an editor would offer where it asks the person, by the input's id. */
  readonly inputs: ReadonlyMap<string, string>
  /** The text of a file, or what a program prints; or why there is none. */
  readOutside(kind: 'file' | 'exec', what: string): string | Failure
}

export interface Failure {
  readonly code: 'UNSET_VARIABLE' | 'UNREADABLE' | 'WRONG_VALUE'
  readonly message: string
}

/** What became of a value that may hold references. */
export interface Expansion {
  readonly text: string
  /** What was put in. The text may be a secret unless there is nothing. */
  readonly references: readonly string[]
  /** What could not be put in, and stands in the text as it was. */
  readonly failures: readonly Failure[]
}

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${VAR:?message}` as a shell does: an empty variable
 * counts as unset for the latter two. `${env:VAR}` is how editors write the first, and `${input:id}`
 * what they ask for. `${file:path}` is the text of a file, `${exec:command}` what a program prints.
 * `$${` stands for the text `${`. Once over: what is put in is not looked into.
 */
export function expandText(text: string, sources: ValueSources): Expansion {
  const failures: Failure[] = []
  const references: string[] = []
  const result = text.replaceAll(reference, (whole: string, inside: string | undefined) => {
    if (whole === '$${') return '${'
    const parsed = parseReference(inside)
    const found = 'code' in parsed ? parsed : resolve(parsed, sources)
    if (typeof found !== 'string') {
      failures.push(found)
      return whole
    }
    if (!('code' in parsed)) references.push(nameReference(parsed))
    return found
  })
  return { text: result, references, failures }
}

/** The same for a value that is a reference as a whole: `env:NAME`, `file:path`, `exec:command`. */
export function expandWhole(parsed: Reference, sources: ValueSources): Expansion {
  const found = resolve(parsed, sources)
  return typeof found === 'string'
    ? { text: found, references: [nameReference(parsed)], failures: [] }
    : { text: '', references: [], failures: [found] }
}

/** A reference, taken apart. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly name: string
  readonly operator?: '-' | '?'
  readonly rest?: string
}

/** The references in a text that need more than variables. */
export function outsideReferences(text: string): Reference[] {
  return [...text.matchAll(reference)].flatMap(([whole, inside]) => {
    const parsed = whole === '$${' ? undefined : parseReference(inside)
    return parsed && 'kind' in parsed && isOutside(parsed) ? [parsed] : []
  })
}

/** True for what is read or run, not looked up. */
export function isOutside({ kind }: Reference): boolean {
  return kind === 'file' || kind === 'exec'
}

/** Reads a value that is a reference as a whole; `undefined` for any other text. */
export function parseWholeReference(text: string): Reference | undefined {
  const [, scheme, rest = ''] = /^(env|file|exec):(.*\S.*)$/s.exec(text) ?? []
  if (scheme === 'env') {
    return /^[A-Za-z_]\w*$/.test(rest) ? { kind: 'variable', name: rest } : undefined
  }
  return scheme === 'file' || scheme === 'exec' ? { kind: scheme, name: rest.trim() } : undefined
}

// The escape; or a reference; or the beginning of one that never ends.
const reference = /\$\$\{|\$\{(?:([^}]*)\})?/g

const outside = /^(file|exec|input):\s*(\S.*?)\s*$/s
const variable = /^(?:env:)?([A-Za-z_]\w*)(?::([-?])(.*))?$/s

function parseReference(inside: string | undefined): Reference | Failure {
  if (inside === undefined || inside.includes('${')) return malformed(inside)
  const [, kind, what = ''] = outside.exec(inside) ?? []
  if (kind === 'file' || kind === 'exec' || kind === 'input') return { kind, name: what }
  const [, name, operator, rest = ''] = variable.exec(inside) ?? []
  if (name === undefined) return malformed(inside)
  if (operator !== '-' && operator !== '?') return { kind: 'variable', name }
  return { kind: 'variable', name, operator, rest }
}

function resolve(parsed: Reference, sources: ValueSources): string | Failure {
  const { kind, name } = parsed
  if (kind === 'variable') return resolveVariable(parsed, sources)
  if (kind === 'input') return resolveInput(name, sources)
  return sources.readOutside(kind, name)
}

function resolveVariable(parsed: Reference, sources: ValueSources): string | Failure {
  const { name, operator, rest = '' } = parsed
  const value = variableOf(sources.env, name) ?? sources.editorNames.get(name)
  if (value !== undefined && (value !== '' || operator === undefined)) return value
  if (operator === '-') return rest
  const wish = operator === '?' ? rest : ''
  const message = wish
    ? `the variable ${name} is not set: ${wish}`
    : `the variable ${name} is not set; set it, or write \${${name}:-default} for a value without it`
  return { code: 'UNSET_VARIABLE', message }
}

/** Editors ask the person and keep the answer; here nobody is there to be asked. */
function resolveInput(id: string, { env, inputs }: ValueSources): string | Failure {
  const name = inputVariable(id)
  const value = variableOf(env, name) || inputs.get(id)
  if (value) return value
  const message = `an editor would ask for the input ${id}; here, set the variable ${name}`
  return { code: 'UNSET_VARIABLE', message }
}

/** The variable that stands in for what an editor asks: `INPUT_API_KEY` for `api-key`. */
export function inputVariable(id: string): string {
  return `INPUT_${id.toUpperCase().replaceAll(/\W/g, '_')}`
}

function variableOf(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

/** What provenance calls it. Of a command only the program: its arguments may be secret. */
function nameReference({ kind, name }: Reference): string {
  if (kind === 'variable') return name
  return kind === 'exec' ? `exec:${name.split(/\s/, 1)[0]}` : `${kind}:${name}`
}

/** Not quoted: it may be a password with these characters in it. */
function malformed(inside: string | undefined): Failure {
  const fault =
    inside === undefined
      ? 'one without its }'
      : inside.includes('${')
        ? 'one inside another'
        : 'one that names no variable'
  const message = `expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received ${fault}; write $\${ where the text itself is meant`
  return { code: 'WRONG_VALUE', message }
}
