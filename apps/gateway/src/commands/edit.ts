import type { ServerEdit } from '@mobius-mcp/config'
import type { JsonObject } from '@mobius-mcp/protocol'
import { CommandConfiguration } from '../command-configuration.ts'
import { findUnset, openForEditing } from '../open-for-editing.ts'
import type { ConfigOptions } from '../program.ts'
import { findAttachable } from '../reach.ts'
import { UserError } from '../user-error.ts'
import { writeServers } from '../write-server.ts'

export interface AddOptions extends ConfigOptions {
  env?: string[]
  header?: string[]
  transport?: 'http' | 'sse'
}

/** `mobius add`: writes a server into the configuration. */
export async function add(
  name: string,
  parts: readonly string[],
  options: AddOptions,
): Promise<number> {
  return await edit([{ kind: 'add', name, entry: toEntry(parts, options) }], options)
}

/** `mobius remove`: takes a server out of the configuration. */
export async function remove(name: string, options: ConfigOptions): Promise<number> {
  return await edit([{ kind: 'remove', name }], options)
}

/** Writes, and says where and what comes of it. */
export async function edit(edits: readonly ServerEdit[], options: ConfigOptions): Promise<number> {
  const files = await writeServers(await openForEditing(options), edits)
  for (const { kind, name } of edits) {
    process.stdout.write(`${kind === 'add' ? 'Added' : 'Removed'} ${name}\n`)
  }
  process.stdout.write(`Written: ${files.join(', ')}\n`)
  const unset = await findUnset(options)
  const running = await findAttachable(new CommandConfiguration(options))
  if (unset.length > 0) process.stderr.write(`Before it can be used:\n  ${unset.join('\n  ')}\n`)
  else if (running) process.stderr.write('The gateway that runs takes it over.\n')
  else process.stderr.write('See whether it works: mobius doctor\n')
  return 0
}

function toEntry(parts: readonly string[], { env, header, transport }: AddOptions): JsonObject {
  const [first = '', ...rest] = parts
  if (!/^https?:\/\//i.test(first)) {
    if (header || transport) {
      throw new UserError(
        `--header and --transport are for servers behind a URL, and ${JSON.stringify(first)} is a command`,
      )
    }
    const variables = env && { env: Object.fromEntries(env.map(readVariable)) }
    return { command: first, ...(rest.length > 0 && { args: rest }), ...variables }
  }
  if (env || rest.length > 0) {
    throw new UserError(
      `A server behind a URL takes no ${env ? 'environment' : 'arguments'}: give the URL alone, and what it needs to know with --header`,
    )
  }
  const headers = header && { headers: Object.fromEntries(header.map(readHeader)) }
  return { ...(transport && { type: transport }), url: first, ...headers }
}

function readVariable(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new UserError(`Cannot read --env: expected NAME=value, e.g. API_KEY='\${API_KEY}'`)
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): *(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new UserError(
    `Cannot read --header: expected "Name: value", e.g. 'Authorization: Bearer \${TOKEN}'`,
  )
}
