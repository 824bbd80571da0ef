import { nearest } from '../nearest.ts'
import type { PromptPlace } from '../prompt-settings.ts'
import type { MissingVariable } from '../secret.ts'
import {
  nameReference,
  parseReference,
  type Reference,
  referencePattern,
} from './parse-reference.ts'
import type { DeclaredVariable, Environment, Failure, ValueSources } from './value-sources.ts'

/** A text, or what is put in its place later. */
export type TextPart = string | MissingVariable | PromptPlace

/** What became of a value that may hold references. */
export interface Expansion {
  readonly parts: readonly TextPart[]
  /** What was put in. The text may be a secret unless there is nothing. */
  readonly references: readonly string[]
  /** What could not be put in, and stands in the text as it was. */
  readonly failures: readonly Failure[]
}

/** How one value is expanded. */
export interface ExpandOptions {
  /** What needs a declared variable without value waits for it. */
  readonly mayWait?: boolean
  /** Names that stand for what is given later. */
  readonly places?: readonly string[]
  /** Only declared variables are put in: everything else stands as it is, and is told to `onLeft`. */
  readonly prose?: boolean
  onLeft?(reference: string): void
}

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${VAR:?message}` as a shell does: an empty variable
 * counts as unset for the latter two. `${env:VAR}` is how editors write the first, and `${input:id}`
 * what they ask for. `${file:path}` is the text of a file, `${exec:command}` what a program prints.
 * `$${` stands for the text `${`. Once over: what is put in is not looked into.
 */
export function expandText(
  text: string,
  sources: ValueSources,
  options: ExpandOptions = {},
): Expansion {
  const parts: TextPart[] = []
  const references: string[] = []
  const failures: Failure[] = []
  let end = 0
  for (const match of text.matchAll(referencePattern)) {
    const [whole, inside] = match
    parts.push(text.slice(end, match.index))
    end = match.index + whole.length
    if (whole === '$${') {
      parts.push('${')
      continue
    }
    const { part, named } = expandReference(whole, inside, { sources, options, failures })
    parts.push(part)
    if (named !== undefined) references.push(named)
  }
  parts.push(text.slice(end))
  return { parts: joinTexts(parts), references, failures }
}

interface ReferenceContext {
  readonly sources: ValueSources
  readonly options: ExpandOptions
  readonly failures: Failure[]
}

/** What takes the place of a reference, and what provenance calls it if something was put in. */
function expandReference(
  whole: string,
  inside: string | undefined,
  { sources, options, failures }: ReferenceContext,
): { part: TextPart; named?: string } {
  const argument = inside?.trim()
  if (argument !== undefined && options.places?.includes(argument)) return { part: { argument } }
  const parsed = parseReference(inside)
  if (options.prose && !isDeclared(parsed, sources)) {
    if (inside !== undefined) options.onLeft?.(whole)
    return { part: whole }
  }
  const found = 'code' in parsed ? parsed : resolve(parsed, sources, options)
  if (typeof found === 'string' || 'variable' in found) {
    return 'code' in parsed ? { part: found } : { part: found, named: nameReference(parsed) }
  }
  failures.push(options.places ? aboutPlace(found, parsed, options.places) : found)
  return { part: whole }
}

/** In a template a name that is not set is most often a slip in an argument's. */
function aboutPlace(
  failure: Failure,
  parsed: Reference | Failure,
  places: readonly string[],
): Failure {
  if (failure.code !== 'UNSET_VARIABLE' || 'code' in parsed) return failure
  const meant = nearest(parsed.name, places)
  const hint = meant ? `; did you mean ${meant}?` : `; arguments: ${places.join(', ') || 'none'}`
  const message = `${parsed.name} is neither an argument of the prompt nor a variable that is set${hint}`
  return { ...failure, message }
}

function isDeclared(parsed: Reference | Failure, { declared }: ValueSources): boolean {
  return 'kind' in parsed && parsed.kind === 'variable' && declared.has(parsed.name)
}

/** Texts beside each other are one, and empty ones are none. */
function joinTexts(parts: readonly TextPart[]): TextPart[] {
  const joined: TextPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part
    else if (part !== '') joined.push(part)
  }
  return joined
}

/** The same for a value that is a reference as a whole: `env:NAME`, `file:path`, `exec:command`. */
export function expandWhole(
  parsed: Reference,
  sources: ValueSources,
  options: ExpandOptions = {},
): Expansion {
  const found = resolve(parsed, sources, options)
  if (typeof found === 'string' || 'variable' in found) {
    return { parts: [found], references: [nameReference(parsed)], failures: [] }
  }
  return { parts: [], references: [], failures: [found] }
}

function resolve(
  parsed: Reference,
  sources: ValueSources,
  { mayWait = false }: ExpandOptions,
): string | MissingVariable | Failure {
  const { kind, name } = parsed
  if (kind === 'input') return resolveInput(name, sources)
  if (kind !== 'variable') return sources.readOutside(kind, name)
  const declared = sources.declared.get(name)
  const found = resolveVariable(parsed, sources, declared)
  return typeof found !== 'string' && declared && mayWait ? { variable: name } : found
}

function resolveVariable(
  { name, operator, rest = '' }: Reference,
  sources: ValueSources,
  declared: DeclaredVariable | undefined,
): string | Failure {
  const given = variableOf(sources.env, name) ?? sources.editorNames.get(name)
  const value = declared ? declared.value : given
  if (value !== undefined && (value !== '' || operator === undefined)) return value
  if (operator === '-') return rest
  if (declared && !declared.required) return ''
  const wish = (operator === '?' ? rest : '') || declared?.description
  const cure = declared ? 'set it' : `set it, or write \${${name}:-default} for a value without it`
  const message = wish
    ? `the variable ${name} is not set: ${wish}`
    : `the variable ${name} is not set; ${cure}`
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
