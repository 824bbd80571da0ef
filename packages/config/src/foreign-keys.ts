/**
 * What other clients keep in a server's entry, and what to do about it here. Such a file loads as it
 * is; each of these is reported, for none of them has an effect.
 */
const serverKeys = new Map([
  ['alwaysAllow', 'calls of clients need no approval here'],
  ['alwaysLoad', 'a server is started when it is first used'],
  ['auth', 'write headers: { Authorization: ... }'],
  ['authProviderType', 'write headers: { Authorization: ... }'],
  ['autoApprove', 'calls of clients need no approval here'],
  ['description', 'servers describe themselves'],
  ['dev', 'there is no development mode for servers'],
  ['disabledTools', 'write publish: { exclude: [server/tool] }'],
  ['envFile', `write env: { NAME: "\${NAME}" }`],
  ['excludeTools', 'write publish: { exclude: [server/tool] }'],
  ['gallery', 'where an entry came from is not kept'],
  ['headersHelper', `write headers: { Authorization: "Bearer \${TOKEN}" }`],
  ['includeTools', 'write publish: [server/tool]'],
  ['icon', 'servers bring their own icons'],
  ['oauth', 'write headers: { Authorization: ... }'],
  ['timeout', 'clients differ in its unit; write timeouts: { request: 30s }'],
  ['trust', 'calls of clients need no approval here'],
])

const topKeys = new Map([
  ['globalShortcut', 'it belongs to another client'],
  ['inputs', `write \${VAR} where a value comes from the environment`],
  ['preferences', 'it belongs to another client'],
])

/** Words that other programs use for what has another name here. */
const otherWords = new Map([
  ['cmd', 'command'],
  ['endpoint', 'url'],
  ['environment', 'env'],
  ['host', 'listen'],
  ['httpUrl', 'url'],
  ['port', 'listen'],
  ['serverUrl', 'url'],
  ['servers', 'mcpServers'],
  ['token', 'key'],
  ['transport', 'type'],
  ['transportType', 'type'],
  ['uri', 'url'],
  ['workdir', 'cwd'],
  ['workingDirectory', 'cwd'],
])

/** Why a key of another client's server entry has no effect, and what to write; or `undefined`. */
export function foreignServerKey(key: string): string | undefined {
  return serverKeys.get(key)
}

/** The same for a key beside `mcpServers`. */
export function foreignTopKey(key: string): string | undefined {
  return topKeys.get(key)
}

/** Our word for what another program calls so; or `undefined`. */
export function ourWord(key: string): string | undefined {
  return otherWords.get(key)
}
