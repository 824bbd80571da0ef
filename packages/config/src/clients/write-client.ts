import { readFile } from 'node:fs/promises'
import type { JsonObject } from '@mobius-mcp/protocol'
import { stringify } from 'smol-toml'
import { editJson } from '../edit/edit-json.ts'
import { writeWhole } from '../edit/write-file.ts'
import { ConfigError } from '../errors.ts'
import { explainReadError } from '../read/read-error.ts'
import { readSource } from '../read/read-source.ts'
import { memberOf } from '../read/source-tree.ts'
import { clientEntry, type GatewayAddress } from './client-entry.ts'
import type { ClientKind } from './client-files.ts'
import { clientFormats } from './client-format.ts'
import { editToml } from './edit-toml.ts'

export interface ConnectClientOptions {
  readonly client: ClientKind
  readonly address: GatewayAddress
  /** What the client calls the gateway: `mobius` by default. */
  readonly name?: string | undefined
}

/**
 * What to put into a client's file, as text of that file and nothing else: for whoever does it by
 * hand.
 *
 * @throws ConfigError where the client cannot reach the gateway so, saying what to do instead.
 */
export function printClientEntry(options: ConnectClientOptions): string {
  const { client, name = defaultName } = options
  const entry = entryOf(options)
  const [section] = clientFormats[client].sections
  const whole = (section ?? []).reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), {
    [name]: entry,
  })
  return client === 'codex' ? `${tomlOf(whole)}\n` : `${JSON.stringify(whole, undefined, 2)}\n`
}

/**
 * A client's file with the gateway in it, in place of an entry of the same name. All else stays as
 * it is, comments included.
 *
 * @throws ConfigError where the text cannot be read or the client cannot reach the gateway so.
 */
export function connectClient(
  text: string,
  options: ConnectClientOptions & { readonly file: string },
): string {
  const { client, name = defaultName, file } = options
  const entry = entryOf(options)
  if (client === 'codex') {
    const edited = editToml(text, ['mcp_servers', name], { file, value: entry })
    if (edited !== undefined) return edited
    throw unsuited(
      client,
      `${file} holds ${name} in a form that cannot be changed safely; put this in by hand:\n${printClientEntry(options)}`,
    )
  }
  const { sections } = clientFormats[client]
  const whole = text.trim() === '' ? '{}\n' : text
  const { root } = readSource(whole, file)
  const holds = ([...path]: readonly string[]) =>
    path.reduce<ReturnType<typeof memberOf>>(memberOf, root)?.kind === 'map'
  const section = sections.findLast(holds) ?? sections[0] ?? []
  return editJson(whole, [...section, name], entry)
}

/**
 * The same with a file, which comes to be where there is none; written at once or not at all.
 *
 * @throws ConfigError as above, and where the file cannot be read.
 */
export async function connectClientFile(
  path: string,
  options: ConnectClientOptions,
): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code, message } = explainReadError(error)
    if (code === 'CONFIG_NOT_FOUND') return ''
    const problems = [{ code: 'UNREADABLE', file: path, path: [], message } as const]
    throw new ConfigError(code, { file: path, problems, cause: error })
  })
  await writeWhole(path, connectClient(text, { ...options, file: path }))
}

const defaultName = 'mobius'

function entryOf({ client, address }: ConnectClientOptions): JsonObject {
  const entry = clientEntry(client, address)
  if (typeof entry === 'string') throw unsuited(client, entry)
  return entry
}

function tomlOf(whole: JsonObject): string {
  return stringify(whole)
    .replace(/^\[mcp_servers\]\n+/, '')
    .trimEnd()
}

function unsuited(client: ClientKind, message: string): ConfigError {
  const file = clientFormats[client].title
  const problems = [{ code: 'WRONG_VALUE', file, path: [], message } as const]
  return new ConfigError('CLIENT_UNSUITED', { file, problems })
}
