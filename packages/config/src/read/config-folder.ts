import { basename, join } from 'node:path'
import { ConfigError, type ConfigProblem } from '../errors.ts'
import type { ConfigReader } from './gather.ts'
import { isAgentFile } from './read-agent-file.ts'

/** A folder as a configuration. */
export interface ConfigFolder {
  /** The files of it that count, in the order in which they are laid over each other. */
  readonly files: readonly string[]
  /** The one of them that the folder stands for, if any. */
  readonly main: string | undefined
  /** Where a new file would count. */
  readonly folders: readonly string[]
  readonly warnings: readonly ConfigProblem[]
}

/** The files that may stand for a folder: the first that is there does. */
export const mainFiles = ['mobius.yaml', 'mobius.yml', 'nanobot.yaml', '.mcp.json'] as const

/** The folder beside it that holds an agent in each file. */
const agentFolder = 'agents'

/** Folders beside it whose files are known; but for the agents they are not yet honoured. */
export const partFolders = ['agents', 'skills', 'workflows', 'hooks'] as const

/** How nanobot once kept its servers. */
const oldServers = ['mcp-servers.yaml', 'mcp-servers.json']

/** Every file and folder in a folder that counts, there or not. */
export function countedPaths(folder: string): string[] {
  return [...mainFiles, ...oldServers, ...partFolders].map((name) => join(folder, name))
}

/** Whether all that is in a folder counts. */
export function isPartFolder(folder: string): boolean {
  const parts: readonly string[] = partFolders
  return parts.includes(basename(folder))
}

/**
 * Looks what is in a folder; `undefined` if it is none.
 *
 * @throws ConfigError `CONFIG_NOT_FOUND` for a folder in which nothing is a configuration.
 */
export async function readConfigFolder(
  path: string,
  reader: ConfigReader,
): Promise<ConfigFolder | undefined> {
  const names = await namesIn(path, reader)
  if (!names) return undefined
  const mains = mainFiles.filter((name) => names.includes(name))
  const main = mains[0]
  const old = main === undefined || main === 'nanobot.yaml' ? oldFiles(path, names) : []
  const parts = await readParts(path, names, reader)
  if (main === undefined && old.length === 0 && parts.length === 0) throw nothingIn(path)
  const files = [...old, ...(main === undefined ? [] : [join(path, main)])]
  return {
    files: [...files, ...parts.flatMap(({ files: own }) => own)],
    main: files.at(-1),
    folders: [path, ...parts.map(({ folder }) => folder)],
    warnings: [
      ...mains
        .slice(1)
        .map((name) => warning(join(path, name), `not read: ${main} stands beside it`)),
      ...parts.flatMap(({ warnings }) => warnings),
    ],
  }
}

function oldFiles(path: string, names: readonly string[]): string[] {
  const [only, other] = oldServers.filter((name) => names.includes(name))
  if (other !== undefined) {
    const message = `stands beside ${only}, and either says what the servers are; one of the two must go`
    const problems = [
      { code: 'DUPLICATE_KEY', file: join(path, other), path: [], message } as const,
    ]
    throw new ConfigError('CONFIG_INVALID', { file: path, problems })
  }
  return only === undefined ? [] : [join(path, only)]
}

async function readParts(
  path: string,
  names: readonly string[],
  reader: ConfigReader,
): Promise<{ folder: string; files: string[]; warnings: ConfigProblem[] }[]> {
  const found = await Promise.all(
    partFolders.map(async (part) => {
      const folder = join(path, part)
      const inside = names.includes(part) ? await namesIn(folder, reader) : undefined
      if (!inside) return []
      const own = inside.filter((name) => counts(part, name)).sort()
      if (part === agentFolder) {
        return [{ folder, files: own.map((name) => join(folder, name)), warnings: [] }]
      }
      const list = own.map((name) => name.replace(/\.md$/, '')).join(', ')
      const warnings = own.length === 0 ? [] : [warning(folder, `not yet honoured: ${list}`)]
      return [{ folder, files: [], warnings }]
    }),
  )
  return found.flat()
}

function counts(part: string, name: string): boolean {
  if (name.startsWith('.') || name.toLowerCase() === 'readme.md') return false
  return part !== agentFolder || isAgentFile(name)
}

function warning(file: string, message: string): ConfigProblem {
  return { code: 'NOT_HONOURED', file, path: [], message }
}

function nothingIn(path: string): ConfigError {
  const message = 'there is no mobius.yaml in this folder'
  const problems = [{ code: 'UNREADABLE', file: path, path: [], message } as const]
  return new ConfigError('CONFIG_NOT_FOUND', { file: path, problems })
}

async function namesIn(path: string, reader: ConfigReader): Promise<readonly string[] | undefined> {
  try {
    return await reader.readFolder(path)
  } catch {
    return undefined
  }
}
