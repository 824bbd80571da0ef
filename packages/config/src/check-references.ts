import type { ConfigFile } from './config-file.ts'
import type { Findings } from './findings.ts'
import { nearest } from './nearest.ts'
import { splitAlias } from './reference.ts'
import { reservedServerNames } from './server-name.ts'

/**
 * Finds references to servers that do not exist. A slip in what is left out would publish it, so
 * this is an error and not a warning.
 */
export function checkReferences(
  config: ConfigFile,
  options: { readonly findings: Findings; readonly knownServers: readonly string[] },
): void {
  const { findings, knownServers } = options
  const configured = Object.keys(config.mcpServers)
  const known = [...configured, ...reservedServerNames, ...knownServers]
  for (const { reference, path, inKey } of referencesOf(config)) {
    const { named } = splitAlias(reference.replace(/^!/, ''))
    const [server = ''] = named.split('/', 1)
    if (server.includes('*')) continue
    // A server's name may hold a slash itself.
    if (known.some((name) => named === name || named.startsWith(`${name}/`))) continue
    const suggestion = nearest(server, known)
    const hint = suggestion
      ? `; did you mean ${suggestion}?`
      : `; configured: ${configured.join(', ') || 'none'}`
    const message = `there is no server ${JSON.stringify(server)}${hint}`
    const finding = { code: 'UNKNOWN_SERVER', suggestion } as const
    if (inKey) findings.wrongKey(path, message, finding)
    else findings.wrongValue(path, message, finding)
  }
}

interface FoundReference {
  readonly reference: string
  readonly path: readonly string[]
  /** True where the reference is a key, not a value. */
  readonly inKey: boolean
}

function referencesOf({ publish = [] }: ConfigFile): FoundReference[] {
  if (Array.isArray(publish)) return inList(publish, ['publish'])
  const { include = [], exclude = [], rename = {}, describe = {} } = publish
  return [
    ...inList(include, ['publish', 'include']),
    ...inList(exclude, ['publish', 'exclude']),
    ...inKeys(rename, ['publish', 'rename']),
    ...inKeys(describe, ['publish', 'describe']),
  ]
}

function inList(references: readonly string[], path: readonly string[]): FoundReference[] {
  return references.map((reference, index) => ({
    reference,
    path: [...path, `${index}`],
    inKey: false,
  }))
}

function inKeys(map: Readonly<Record<string, string>>, path: readonly string[]): FoundReference[] {
  return Object.keys(map).map((reference) => ({
    reference,
    path: [...path, reference],
    inKey: true,
  }))
}
