/** A reference as `publish` takes it, for whoever wrote something else. */
const referenceForm =
  'a reference: server, server/tool, server/tool:name, * for any characters, ! before what to leave out'

/** What a name outside may be: clients add a prefix of their own within 64 characters. */
export const outsideNameForm = 'a name of at most 48 letters, digits, _ and -'

/** True for what can be a tool's or prompt's name outside. */
export function isOutsideName(text: string): boolean {
  return /^[\w-]{1,48}$/.test(text)
}

/** What is wrong with `[!]server[/tool][:alias]`: what was expected instead. `undefined` if it is right. */
export function checkReference(text: string): string | undefined {
  const excluded = text.startsWith('!')
  const body = excluded ? text.slice(1) : text
  const { named, alias } = splitAlias(body)
  if (!isNamed(named)) return referenceForm
  if (alias === undefined) return undefined
  if (excluded) return `no name after what is left out: !${named}`
  if (named.includes('*')) return 'no * where a name is given: one name cannot stand for several'
  return isOutsideName(alias) ? undefined : `after the colon ${outsideNameForm}`
}

/** What is wrong with `server/tool`, one tool of one server. `undefined` if it is right. */
export function checkToolReference(text: string): string | undefined {
  const { named, alias } = splitAlias(text)
  const right = isNamed(named) && named.includes('/') && !named.includes('*') && alias === undefined
  return right ? undefined : 'server/tool, without * and without a name after a colon'
}

/** Names of tools may hold colons, URIs always do: only a last plain word is an alias. */
export function splitAlias(text: string): { named: string; alias: string | undefined } {
  const [, named = text, alias] = /^([^/]+\/.+):([\w-]+)$/.exec(text) ?? []
  return { named, alias }
}

/** `server`, or `server/tool`. */
function isNamed(text: string): boolean {
  const [server = '', ...tool] = text.split('/')
  const plain = server !== '' && server === server.trim() && !/[:!]/.test(server)
  return plain && (tool.length === 0 || tool.join('') !== '')
}
