import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceNode, textOf, toData } from '../read/source-tree.ts'
import type { DeclaredVariable, Environment } from './value-sources.ts'

/**
 * What `env` declares, with the values of the environment; a value that is none of the `options` is
 * found. What is wrong in the form is told elsewhere.
 */
export function readDeclared(
  section: SourceNode | undefined,
  env: Environment,
  findings: Findings,
): Map<string, DeclaredVariable> {
  const declared = new Map<string, DeclaredVariable>()
  if (section?.kind !== 'map') return declared
  for (const [name, node] of section.members) {
    // An empty one is none, as for a shell.
    const value = valueIn(env, name) || textOf(memberOf(node, 'default')) || undefined
    const optional = textOf(memberOf(node, 'optional')) === 'true'
    const description = textOf(memberOf(node, 'description'))
    declared.set(name, { value, required: !optional, description })
    if (!value && !optional) {
      const wish = description === undefined ? '' : `: ${description}`
      const message = `is not set${wish}; what needs it waits until it is`
      findings.warn(node, message, 'UNSET_VARIABLE')
    }
    checkOptions(node, { name, value }, findings)
  }
  return declared
}

/** As it is written; else whatever differs in case alone, or has `-` for `_`. */
function valueIn(env: Environment, name: string): string | undefined {
  if (Object.hasOwn(env, name)) return env[name]
  const plain = simplify(name)
  const other = Object.keys(env).find((key) => simplify(key) === plain)
  return other === undefined ? undefined : env[other]
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

function checkOptions(
  node: SourceNode,
  { name, value }: { readonly name: string; readonly value: string | undefined },
  findings: Findings,
): void {
  const options = memberOf(node, 'options')
  if (value === undefined || options?.kind !== 'list') return
  const words = options.items.map(toData).map(String)
  if (words.length === 0 || words.includes(value)) return
  findings.wrongKey(node, `the variable ${name} is none of its options: ${words.join(', ')}`)
}
