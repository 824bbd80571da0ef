import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ClientKind, ImportedServers } from '@mobius-mcp/config'
import { openForEditing } from '../open-for-editing.ts'
import type { ConfigOptions } from '../program.ts'
import { UserError } from '../user-error.ts'
import { edit } from './edit.ts'

export interface ImportOptions extends ConfigOptions {
  dryRun?: boolean
}

/** `mobius import`: copies servers from another client's files. What is here already stays as it is. */
export async function importServers(from: string, options: ImportOptions): Promise<number> {
  const { formatProblem } = await import('@mobius-mcp/config')
  const sources = await readSources(from)
  const configuration = await openForEditing(options)
  const taken = new Set(configuration.current.servers.map(({ name }) => name))
  const added = new Map<string, ImportedServers['servers'][number]>()
  for (const { file, imported } of sources) {
    for (const warning of imported.warnings) process.stderr.write(`${formatProblem(warning)}\n`)
    for (const server of imported.servers) {
      if (taken.has(server.name) || added.has(server.name)) {
        process.stderr.write(`${file}: ${server.name} is not copied: there is one of this name\n`)
      } else added.set(server.name, server)
    }
  }
  if (added.size === 0) {
    process.stderr.write('There is nothing to copy.\n')
    return 0
  }
  if (options.dryRun) {
    const entries = Object.fromEntries([...added].map(([name, { entry }]) => [name, entry]))
    process.stdout.write(`${JSON.stringify({ mcpServers: entries }, null, 2)}\n`)
    return 0
  }
  return await edit(
    [...added.values()].map(({ name, entry }) => ({ kind: 'add', name, entry })),
    options,
  )
}

interface Source {
  readonly file: string
  readonly imported: ImportedServers
}

/** The servers of a client's own files, or of a file. */
async function readSources(from: string): Promise<readonly Source[]> {
  const { clientFiles, clientKinds, readClient } = await import('@mobius-mcp/config')
  const cwd = process.cwd()
  const client = clientKinds.find((kind) => kind === from)
  if (!client) {
    const file = resolve(from)
    const text = await readText(file)
    if (text === undefined) throw unknownSource(from, clientKinds)
    return [{ file, imported: readClient(text, { file, project: cwd }) }]
  }
  const places = clientFiles(client, { cwd, home: homedir(), env: process.env })
  const sources: Source[] = []
  // For whoever stands in their home folder the two are one.
  for (const file of new Set(places.map(({ path }) => path))) {
    const text = await readText(file)
    if (text !== undefined) {
      sources.push({ file, imported: readClient(text, { file, client, project: cwd }) })
    }
  }
  if (sources.length > 0) return sources
  const files = places.map(({ path }) => path).join(' or ')
  throw new UserError(`There is nothing of ${client} here: no ${files}`)
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new UserError(`Cannot read ${file}: ${message}`)
  }
}

function unknownSource(from: string, kinds: readonly ClientKind[]): UserError {
  return new UserError(
    `Cannot import from ${JSON.stringify(from)}: expected a file, or one of ${kinds.join(', ')}`,
  )
}
