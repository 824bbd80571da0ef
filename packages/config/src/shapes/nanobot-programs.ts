import type { Findings } from '../read/findings.ts'
import type { SourceScalar } from '../read/source-tree.ts'

const opening = /\$\{\s*(?:servers[.[]|prompt\s*\(|call\s*\(|nanobot\b)/g

/**
 * A text without what nanobot computes in it: `${servers.x.instructions}`, `${prompt(…)}`, `${call(…)}`.
 * Nothing in a configuration is run as a program; each is named.
 */
export function withoutPrograms(node: SourceScalar, findings: Findings): SourceScalar {
  if (typeof node.value !== 'string') return node
  const found: string[] = []
  let text = ''
  let end = 0
  for (const { index } of node.value.matchAll(opening)) {
    if (index < end) continue
    const program = programAt(node.value, index)
    text += node.value.slice(end, index)
    end = index + program.length
    found.push(program)
  }
  if (found.length === 0) return node
  // What it is called with may be secret.
  const shown = found.map((program) => program.replace(/\(.*$/s, '(…)}').slice(0, 60)).join(', ')
  findings.warn(node, `${shown} is left out: programs in a text are not yet honoured`)
  const rest = text + node.value.slice(end)
  return { ...node, value: rest, text: rest }
}

/** To the brace that closes it, or to the end. */
function programAt(text: string, start: number): string {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if (text[index] === '{') depth += 1
    if (text[index] === '}') depth -= 1
    if (depth === 0 && text[index] === '}') return text.slice(start, index + 1)
  }
  return text.slice(start)
}
