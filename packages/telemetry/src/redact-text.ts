const secretWords =
  'token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|signature|cookie|authorization'
const named = `[\\w.-]{0,40}(?:${secretWords})[\\w.-]{0,40}`
/** A secret's name where an assignment may begin. */
const assigned = `(?:^|[?&#;,\\s"'({])${named}`
// What was redacted once stays as it is.
const unseen = '(?!\\[redacted\\])'
const secretName = new RegExp(`^(?:${named}|auth|bearer|key|sig|pwd)$`, 'i')

// Longer texts are cut: whoever chose them should not choose how long we look at them.
const maxLength = 4000

/** None of them looks far back or ahead, and texts are bounded: no text takes long. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // A key in the form in which files hold it, whole or cut.
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,50}-----|$)/g,
    '[redacted]',
  ],
  // Headers whose values have several words, up to their end.
  [/\b((?:set-)?cookie["']? ?: ?["']?)[^\r\n"']+/gi, '$1[redacted]'],
  [/\b(authorization["']? ?[:=] ?["']?(?:[\w-]{1,40} {1,4})?)[^\s"',;]+/gi, '$1[redacted]'],
  // Their schemes, wherever they stand.
  [/\b(Bearer|Basic|Digest) {1,4}[^\s,;"']{6,}/gi, '$1 [redacted]'],
  // A user's name and password in a URL.
  [/:\/\/[^\s/?#@]{1,512}@/g, '://[redacted]@'],
  // What is assigned to a name: in JSON or an environment, with quotes; in a URL's query, an
  // environment or a command line, without.
  [
    new RegExp(`(${assigned}\\\\?["']? ?[:=] ?\\\\?)"${unseen}(?:[^"\\\\\\n]|\\\\.)+"?`, 'gi'),
    '$1"[redacted]"',
  ],
  [
    new RegExp(`(${assigned}["']? ?[:=] ?)'${unseen}(?:[^'\\\\\\n]|\\\\.)+'?`, 'gi'),
    "$1'[redacted]'",
  ],
  [new RegExp(`(${assigned}=)${unseen}[^\\s&#;,"')]+`, 'gi'), '$1[redacted]'],
  // An option of a command line and what follows it.
  [new RegExp(`((?:^|\\s)--?${named}) {1,4}(?!-)[^\\s]+`, 'gi'), '$1 [redacted]'],
  // Names that are secret only in a URL's query or fragment: keys, signatures, OAuth's codes.
  [/([?&#](?:key|sig|auth|code|pwd|assertion|code_verifier)=)[^\s&#;,"')]+/gi, '$1[redacted]'],
  // Without quotes behind a colon, as in headers, only where it has a digit: words are explanations.
  [
    new RegExp(`(${assigned}: ?)${unseen}(?=[^\\s;,"']{0,80}\\d)[^\\s;,"']{8,}`, 'gi'),
    '$1[redacted]',
  ],
  // Tokens that can be told by their form: JWT; GitHub, GitLab, OpenAI and their like, Stripe, Slack,
  // AWS, npm, Hugging Face; Google.
  [/\beyJ[\w-]{8,2000}\.[\w-]{4,2000}(?:\.[\w-]*)?/g, '[redacted]'],
  [/\b(?:gh[opsur]_|github_pat_|glpat-|sk[-_]|xox[a-z]-|AKIA)[\w-]{12,}/g, '[redacted]'],
  [/\b(?:AIza[\w-]{30,}|(?:npm|hf)_[A-Za-z0-9]{30,})/g, '[redacted]'],
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
