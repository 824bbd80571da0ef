import type { Failure } from './value-sources.ts'

/** What a reference in a value may name. */
type ReferenceKind = 'variable' | 'input' | 'file' | 'exec'

/** A reference, taken apart. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly name: string
  readonly operator?: '-' | '?'
  readonly rest?: string
}

/** The references in a text that need more than variables. */
export function outsideReferences(text: string): Reference[] {
  return [...text.matchAll(referencePattern)].flatMap(([whole, inside]) => {
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
export const referencePattern: RegExp = /\$\$\{|\$\{(?:([^}]*)\})?/g

const outside = /^(file|exec|input):\s*(\S.*?)\s*$/s
const variable = /^(?:env:)?([A-Za-z_]\w*)(?::([-?])(.*))?$/s

/** Reads what stands between the braces; or says why it is none. */
export function parseReference(inside: string | undefined): Reference | Failure {
  if (inside === undefined || inside.includes('${')) return malformed(inside)
  const [, kind, what = ''] = outside.exec(inside) ?? []
  if (kind === 'file' || kind === 'exec' || kind === 'input') return { kind, name: what }
  const [, name, operator, rest = ''] = variable.exec(inside) ?? []
  if (name === undefined) return malformed(inside)
  if (operator !== '-' && operator !== '?') return { kind: 'variable', name }
  return { kind: 'variable', name, operator, rest }
}

/** What provenance calls it. Of a command only the program: its arguments may be secret. */
export function nameReference({ kind, name }: Reference): string {
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
