import { resolve } from 'node:path'
import { ConfigError, type ConfigErrorCode } from '../errors.ts'
import { readConfigFolder } from './config-folder.ts'
import { addFile, emptyRead, type Layers } from './layers.ts'
import { isAgentFile, readAgentFile } from './read-agent-file.ts'
import { explainReadError } from './read-error.ts'
import { type ReadText, readSource } from './read-source.ts'
import { memberOf, type SourceNode, textOf } from './source-tree.ts'

/** How files and folders are read. */
export interface ConfigReader {
  readFile(path: string): Promise<string>
  /** The names of what is in a folder. */
  readFolder(path: string): Promise<readonly string[]>
}

/** Everything that was looked at for a configuration, whatever came of it. */
export interface Contributions {
  readonly files: Set<string>
  readonly folders: Set<string>
}

export interface GatherOptions {
  readonly reader: ConfigReader
  readonly layers: Layers
  readonly seen: Contributions
}

/**
 * Reads files and folders, each after what it extends, and lays them over each other. Gives the file
 * that the first path stands for.
 *
 * @throws ConfigError where one of the paths given cannot be read. What is wrong within is found.
 */
export async function gather(paths: readonly string[], options: GatherOptions): Promise<string> {
  const gathering = new Gathering(options)
  let first: string | undefined
  // One after the other: a later one is laid over an earlier one.
  for (const path of paths) {
    const file = await gathering.addNamed(path)
    first ??= file
  }
  return first ?? ''
}

const notFound: ConfigErrorCode = 'CONFIG_NOT_FOUND'

class Gathering {
  readonly #options: GatherOptions
  readonly #added = new Set<string>()
  /** The file that a folder stands for; the folder itself where there is none. */
  readonly #mains = new Map<string, string>()

  constructor(options: GatherOptions) {
    this.#options = options
  }

  /** Adds what somebody named, and gives the file that it stands for. */
  async addNamed(path: string): Promise<string> {
    const failure = await this.#add(path, [])
    if (!failure) return this.#mains.get(path) ?? path
    const problems = [
      { code: 'UNREADABLE', file: path, path: [], message: failure.message } as const,
    ]
    throw new ConfigError(failure.code, { file: path, problems })
  }

  /** Adds a file or a folder, once; or says why it cannot be read. */
  async #add(
    path: string,
    open: readonly string[],
  ): Promise<{ code: ConfigErrorCode; message: string } | undefined> {
    if (this.#added.has(path)) return undefined
    if (/^[a-z][a-z+]+:\/\//i.test(path)) return { code: notFound, message: onlyFiles }
    this.#added.add(path)
    this.#options.seen.files.add(path)
    try {
      const text = await this.#options.reader.readFile(path)
      await this.#addText(text, path, open)
      return undefined
    } catch (error) {
      if (error instanceof ConfigError) throw error
      return (await this.#addFolder(path, open)) ? undefined : explainReadError(error)
    }
  }

  async #addFolder(path: string, open: readonly string[]): Promise<boolean> {
    const { reader, layers, seen } = this.#options
    const folder = await readConfigFolder(path, reader)
    if (!folder) return false
    seen.files.delete(path)
    this.#mains.set(path, folder.main ?? path)
    for (const watched of folder.folders) seen.folders.add(watched)
    layers.findings.warnings.push(...folder.warnings)
    for (const file of folder.files) await this.#add(file, open)
    if (folder.files.length === 0) {
      const positionOf = () => ({ line: 1, column: 1 })
      addFile(layers, emptyRead({ file: path, folder: path, positionOf }))
    }
    return true
  }

  async #addText(text: string, file: string, open: readonly string[]): Promise<void> {
    const { layers } = this.#options
    const read = readOrReport(text, file, layers)
    if (!read) return
    for (const parent of parentsOf(read.root)) await this.#addParent(parent, [...open, file])
    addFile(layers, read)
  }

  async #addParent(node: SourceNode, open: readonly string[]): Promise<void> {
    const { findings } = this.#options.layers
    const name = textOf(node)
    if (!name || node.kind !== 'scalar' || name.includes('${')) {
      findings.wrongValue(node, 'expected the path of a file, written out')
      return
    }
    const path = /^[a-z][a-z+]+:\/\//i.test(name) ? name : resolve(node.source.folder, name)
    if (open.includes(path)) {
      const ring = [...open.slice(open.indexOf(path)), path].join(' -> ')
      findings.wrongValue(node, `a ring of files, of which one must not extend the next: ${ring}`)
      return
    }
    const failure = await this.#add(path, open)
    if (failure) {
      findings.wrongValue(node, `${path} cannot be read: ${failure.message}`, {
        code: 'UNREADABLE',
      })
    }
  }
}

const onlyFiles = 'a configuration is read from files only; fetch it first'

/** A file that is not YAML is told with all that is wrong in the others. */
function readOrReport(text: string, file: string, layers: Layers): ReadText | undefined {
  try {
    return isAgentFile(file) ? readAgentFile(text, file) : readSource(text, file)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    layers.findings.problems.push(...error.problems)
    return undefined
  }
}

function parentsOf(root: SourceNode): readonly SourceNode[] {
  const parents = memberOf(root, 'extends')
  if (!parents) return []
  return parents.kind === 'list' ? parents.items : [parents]
}
