const secretWords =
  'token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|signature|cookie|authorization'
const named = `[\\w.-]{0,40}(?:${secretWords})[\\w.-]{0,40}`
const secretName = new RegExp(`^(?:${named}|auth|bearer|key|sig|pwd)$`, 'i')

// Longer texts are cut: whoever chose them should not choose how long we look at them.
const maxLength = 4000

/** Bounded repetitions only, so that no text takes long. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // Schemes of the Authorization header.
  [/\b(Bearer|Basic|Digest) {1,4}[^\s,;"']{6,}/gi, '$1 [redacted]'],
  // A user's name and password in a URL.
  [/:\/\/[^\s/?#@]{1,512}@/g, '://[redacted]@'],
  // What is assigned to a name: in a URL's query, an environment, a command line.
  [new RegExp(`((?:^|[?&#;,\\s"'({])${named}["']?=["']?)[^\\s&#;,"')\\[]+`, 'gi'), '$1[redacted]'],
  // Names that are secret only in a URL's query or fragment: keys, signatures, OAuth's codes.
  [/([?&#](?:key|sig|auth|code|pwd|assertion|code_verifier)=)[^\s&#;,"')[]+/gi, '$1[redacted]'],
  // The same in headers and JSON, where it has a digit: words are explanations.
  [
    new RegExp(
      `((?:^|[?&;,\\s"'{])${named}["']? ?: ?["']?)(?=[^\\s;,"']{0,80}\\d)[^\\s;,"'\\[]{8,}`,
      'gi',
    ),
    '$1[redacted]',
  ],
  // Tokens that can be told by their form: JWT, GitHub, OpenAI and their like, Slack, AWS.
  [/\beyJ[\w-]{8,2000}\.[\w-]{4,2000}(?:\.[\w-]*)?/g, '[redacted]'],
  [/\b(?:gh[opsur]_|github_pat_|sk-|xox[a-z]-|AKIA)[\w-]{12,}/g, '[redacted]'],
]

/** The text, cut where it is very long, without what looks like a password, a key or a token. */
export function redactText(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return patterns.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), cut)
}

/** True for the name of something whose value nobody should read. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}
