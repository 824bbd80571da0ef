import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'

const secretName =
  /token|secret|passw|passphrase|credential|api[-_]?key|auth|private|session|cookie|(?:^|[-_])(?:key|pat|pwd)(?:$|[-_])/i

/** True for the name of a variable, header, parameter or option whose value nobody should see. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** True where a value of the files may be secret even if they spell it out. */
export function isSecretPlace(path: readonly string[], root: SourceMap): boolean {
  const [section = '', name = ''] = path
  const [key = ''] = path.slice(-1)
  const [holder = ''] = path.slice(-2)
  if (key === 'key' && (section === 'http' || section === 'models')) return true
  if (key === 'clientSecret') return true
  if (section === 'env' && key === 'default')
    return !isOpen(memberOf(root.members.get('env'), name))
  const depth = section === 'models' ? 5 : 4
  if (holder === 'headers' && path.length === depth) return !isPlainHeader(key)
  return isSecretName(key) && section === 'mcpServers' && holder === 'env'
}

/** A declared variable is secret unless it says otherwise. */
function isOpen(variable: SourceNode | undefined): boolean {
  return textOf(memberOf(variable, 'secret')) === 'false'
}

/** Text with what may be secret left out: the user of a URL, parameters and options by their names. */
export function hideSecretParts(text: string): string {
  return text
    .replace(/(\w:\/\/)[^/\s@]+@/g, '$1[redacted]@')
    .replace(/([?&;])([\w.-]+)=([^&\s;]+)/g, (whole, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=[redacted]` : whole,
    )
    .replace(/^(--?)([\w-]+)=(.+)$/s, (whole, dashes: string, name: string) =>
      isSecretName(name) ? `${dashes}${name}=[redacted]` : whole,
    )
}

function isPlainHeader(name: string): boolean {
  return /^(?:accept|content-type|user-agent|mcp-protocol-version)/i.test(name)
}
