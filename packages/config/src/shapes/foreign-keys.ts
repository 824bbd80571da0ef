import { nearest } from '../nearest.ts'

/**
 * What other clients keep in a server's entry, and what to do about it here. Such a file loads as it
 * is; each of these is reported, for none of them has an effect.
 */
export const foreignServerKeys: ReadonlyMap<string, string> = new Map([
  ['alwaysAllow', 'calls of clients need no approval here'],
  ['alwaysLoad', 'a server is started when it is first used'],
  ['auth', 'write oauth: { clientId, clientSecret, scopes }, or headers'],
  ['authProviderType', 'write oauth: { clientId, clientSecret, scopes }, or headers'],
  ['autoApprove', 'calls of clients need no approval here'],
  ['description', 'servers describe themselves'],
  ['dev', 'there is no development mode for servers'],
  ['disabledTools', 'write publish: { exclude: [server/tool] }'],
  ['envFile', `write env: { NAME: "\${NAME}" }`],
  ['extensionName', 'where an entry came from is not kept'],
  ['excludeTools', 'write publish: { exclude: [server/tool] }'],
  ['gallery', 'where an entry came from is not kept'],
  ['headersHelper', `write headers: { Authorization: "\${exec:command}" }`],
  ['includeTools', 'write publish: [server/tool]'],
  ['icon', 'servers bring their own icons'],
  ['iconDark', 'servers bring their own icons'],
  ['metadata', 'it belongs to another client'],
  ['registry', 'where an entry came from is not kept'],
  ['remoteConfigured', 'it belongs to another client'],
  ['sandbox', 'confinement of programs is not yet honoured'],
  ['sandboxEnabled', 'confinement of programs is not yet honoured'],
  ['scope', 'it belongs to another client'],
  ['settings', 'it belongs to another client'],
  ['targetAudience', 'write oauth: { clientId, clientSecret, scopes }, or headers'],
  ['targetServiceAccount', 'write oauth: { clientId, clientSecret, scopes }, or headers'],
  ['timeout', 'clients differ in its unit; write timeouts: { request: 30s }'],
  ['version', 'servers say their own version'],
  ['watchPaths', 'a server is not started anew when files change'],
  ['trust', 'calls of clients need no approval here'],
])

/** The same in the `oauth` of an entry. */
const oauthKeys = new Map([
  ['authServerMetadataUrl', 'not yet honoured: the server says where its users sign in'],
  ['xaa', 'cross-app access is not yet honoured'],
])

const topKeys = new Map([
  ['globalShortcut', 'it belongs to another client'],
  ['preferences', 'it belongs to another client'],
])

/** Other clients' words in a server's entry for what means the same here. */
const synonyms = new Map([
  ['httpUrl', 'url'],
  ['serverUrl', 'url'],
])

/** Words that other programs use for what has another name here. */
const otherWords = new Map([
  ['cmd', 'command'],
  ['endpoint', 'url'],
  ['environment', 'env'],
  ['host', 'listen'],
  ['port', 'listen'],
  ['servers', 'mcpServers'],
  ['token', 'key'],
  ['transport', 'type'],
  ['transportType', 'type'],
  ['uri', 'url'],
  ['workingDirectory', 'cwd'],
])

/** Why a key of another client's server entry has no effect, and what to write; or `undefined`. */
export function foreignServerKey(key: string): string | undefined {
  return foreignServerKeys.get(key)
}

/** The same for a key of `oauth`. */
export function foreignOAuthKey(key: string): string | undefined {
  return oauthKeys.get(key)
}

/** The same for a key beside `mcpServers`. */
export function foreignTopKey(key: string): string | undefined {
  return topKeys.get(key)
}

/** Our key for another client's that means the same. */
export function synonymOf(key: string): string | undefined {
  return synonyms.get(key)
}

/** Our word for what another program calls so; or `undefined`. */
export function ourWord(key: string): string | undefined {
  const slip = otherWords.has(key) ? key : nearest(key, longWords)
  return slip === undefined ? undefined : otherWords.get(slip)
}

/** Those in which a slip is still a slip. */
const longWords = [...otherWords.keys()].filter((word) => word.length > 7)
