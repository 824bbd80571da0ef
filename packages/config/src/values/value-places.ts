/** Paths to values; `*` is any key. */
type Places = readonly (readonly string[])[]

function isAt(path: readonly string[], places: Places): boolean {
  return places.some(
    (place) =>
      place.length === path.length && place.every((key, at) => key === '*' || key === path[at]),
  )
}

/** Where nothing but a secret can be meant. */
const secretPlaces: Places = [
  ['http', 'keys', '*', 'key'],
  ['mcpServers', '*', 'headers', '*'],
  ['mcpServers', '*', 'oauth', 'clientSecret'],
  ['models', 'providers', '*', 'key'],
  ['models', 'providers', '*', 'headers', '*'],
]

/** What is first needed when a server is reached, a model asked or a prompt read. */
const waitingPlaces: Places = [
  ['mcpServers', '*', 'args', '*'],
  ['mcpServers', '*', 'env', '*'],
  ['mcpServers', '*', 'headers', '*'],
  ['mcpServers', '*', 'url'],
  ['models', 'providers', '*', 'baseUrl'],
  ['models', 'providers', '*', 'headers', '*'],
  ['models', 'providers', '*', 'key'],
  ['agents', '*', 'instructions'],
  ['agents', '*', 'instructions', 'arguments', '*'],
  ['prompts', '*', 'template'],
]

/** True where a value may be a reference without `${…}`. */
export function isSecretValue(path: readonly string[]): boolean {
  return isAt(path, secretPlaces)
}

/** Where a value may wait for a variable that is not set. */
export function mayWait(path: readonly string[]): boolean {
  return isAt(path, waitingPlaces)
}
