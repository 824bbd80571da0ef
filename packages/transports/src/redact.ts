/** What may turn up where it should not, and what to show in its place. */
export type Secret = readonly [name: string, value: string]

/** Shorter values are no secrets, and would be found everywhere. */
const shortest = 6

/**
 * Makes a function that replaces each of these values by its name, wherever a text holds it. A
 * configured value may be a secret, and a server may print what it was given.
 */
export function createRedactor(values: readonly Secret[]): (text: string) => string {
  const secrets = values
    .flatMap(([name, value]) => variants(value).map((variant) => [variant, `[${name}]`] as const))
    .filter(([value]) => value.length >= shortest)
    .sort(([a], [b]) => b.length - a.length)
  if (secrets.length === 0) return (text) => text
  return (text) => secrets.reduce((rest, [value, name]) => rest.replaceAll(value, name), text)
}

/**
 * What among a program's arguments is secret by its name (`--api-key …`, `--token=…`,
 * `-e GITHUB_TOKEN=…`, `--header "Authorization: …"`), and passwords in URLs. The others are there
 * to be read.
 */
export function secretsOfArguments(args: readonly string[]): Secret[] {
  return args.flatMap((arg, index) => {
    const [, named, given = ''] = /^([^=\s]+)=(.*)$/s.exec(arg) ?? []
    if (named !== undefined && isSecretName(named)) return [[named, given] as const]
    const before = args[index - 1] ?? ''
    if (/^-[^=]+$/.test(before) && isSecretName(before)) return [[before, arg] as const]
    return passwordsIn(arg).map((password) => ['password', password] as const)
  })
}

/** The same for a URL: its query by name, and what in its path looks like a key. */
export function secretsOfUrl(url: URL): Secret[] {
  const query = [...url.searchParams]
    .filter(([name]) => isSecretName(name))
    .flatMap(([name, value]) => [
      [name, value] as const,
      [name, encodeURIComponent(value)] as const,
    ])
  const segments = url.pathname.split('/').filter((segment) => keyLike.test(segment))
  return [...query, ...segments.map((segment) => ['key', segment] as const)]
}

const secretName = /key|token|secret|passw|passphrase|pwd|credential|auth(?!or)|cookie|header|sig/i

function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Letters and digits in a long row, as no person writes them. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w-]{20,}$/i

/** A header holds `Bearer <token>`, and only the token may turn up; of a URL, only its password. */
function variants(value: string): string[] {
  const last = value.slice(value.lastIndexOf(' ') + 1)
  return [...new Set([value, last, ...passwordsIn(value)])]
}

function passwordsIn(text: string): string[] {
  return Array.from(text.matchAll(/:\/\/[^/\s:@]*:([^/\s@]+)@/g), ([, password = '']) => password)
}
