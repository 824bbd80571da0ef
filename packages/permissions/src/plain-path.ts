// Most texts are told by this alone.
const dubious = /[/\\][/\\.%]|^[.%]/
// %2e is a dot to whoever parses URLs.
const suspect = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)|[/\\]{2}/i
const scheme = /^[a-z][a-z0-9+.-]*:[/\\]{2}[^/\\]*/i

/**
 * The text with its `.` and `..` segments resolved and doubled slashes made one: what a path or URL
 * leads to. The same text where there is nothing to resolve, as in whatever is neither.
 */
export function plainPath(text: string): string {
  if (!dubious.test(text)) return text
  const [root = ''] = scheme.exec(text) ?? []
  const path = text.slice(root.length)
  if (!suspect.test(path)) return text
  const kept = resolve(path.split(/[/\\]+/))
  return root + kept.join(path.includes('/') ? '/' : '\\')
}

function resolve(segments: readonly string[]): string[] {
  const kept: string[] = []
  for (const segment of segments) {
    const name = segment.replace(/%2e/gi, '.')
    if (name === '.') continue
    // Nothing lies above the root; above a relative path there may be something.
    const above = name === '..' && kept.length > 0 && kept.at(-1) !== '..'
    if (!above) kept.push(segment)
    else if (kept.length > 1 || kept[0] !== '') kept.pop()
  }
  const isRoot = kept.length === 1 && kept[0] === ''
  return isRoot ? ['', ''] : kept
}
