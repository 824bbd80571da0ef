/** Shorter values are no secrets, and would be found everywhere. */
const shortest = 6

/**
 * Makes a function that replaces each of these values by its name, wherever a text holds it. A
 * configured value may be a secret, and a server may print what it was given.
 */
export function createRedactor(
  values: Readonly<Record<string, string>> | undefined,
): (text: string) => string {
  const secrets = Object.entries(values ?? {})
    .flatMap(([name, value]) => variants(value).map((variant) => [variant, `[${name}]`] as const))
    .filter(([value]) => value.length >= shortest)
    .sort(([a], [b]) => b.length - a.length)
  if (secrets.length === 0) return (text) => text
  return (text) => secrets.reduce((rest, [value, name]) => rest.replaceAll(value, name), text)
}

/** A header holds `Bearer <token>`, and only the token may turn up. */
function variants(value: string): string[] {
  const last = value.slice(value.lastIndexOf(' ') + 1)
  return last === value ? [value] : [value, last]
}
