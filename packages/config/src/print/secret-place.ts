const secretName =
  /token|secret|passw|passphrase|credential|api[-_]?key|auth|private|session|cookie|(?:^|[-_])(?:key|pat|pwd)(?:$|[-_])/i

/** True for the name of a variable, header, parameter or option whose value nobody should see. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** True where a value may be secret even if the file spells it out. */
export function isSecretPlace(path: readonly string[]): boolean {
  const [key = ''] = path.slice(-1)
  const [holder = ''] = path.slice(-2)
  if (key === 'key' && path[0] === 'http') return true
  if (key === 'clientSecret') return true
  if (holder === 'headers' && path.length === 4) return !isPlainHeader(key)
  return isSecretName(key) && path[0] === 'mcpServers' && holder === 'env'
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
