import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { type LoadConfigOptions, loadConfig } from '../load-config.ts'
import { explainReadError } from '../read/read-error.ts'
import { applyServerEdits, isOurs } from './edit-configuration.ts'
import type { ServerEdit } from './server-edit.ts'
import { writeWhole } from './write-file.ts'

export interface EditFileOptions extends LoadConfigOptions {
  /** All that is loaded together, this file among it: what comes of the edit is checked as a whole. The file alone, by default. */
  readonly paths?: readonly string[] | undefined
}

/**
 * Changes the servers of a configuration file, which comes to be where there is none; of a folder,
 * its `mobius.yaml`. Written at once or not at all: not where what would come of it, with all that it extends, cannot be used.
 *
 * @throws ConfigError as `editConfiguration` does, and where the file cannot be read or written.
 */
export async function editConfigurationFile(
  path: string,
  edits: readonly ServerEdit[],
  options: EditFileOptions = {},
): Promise<void> {
  const file = await fileAt(resolve(path))
  const edited = applyServerEdits(await readText(file), edits, file)
  const { readFile: read = (name: string) => readFile(name, 'utf8') } = options
  const readEdited = async (name: string) => (name === file ? edited : await read(name))
  try {
    // Programs are not asked for secrets to see whether a server may be added.
    await loadConfig(options.paths ?? file, { ...options, allowExec: false, readFile: readEdited })
  } catch (error) {
    if (!(error instanceof ConfigError) || error.problems.some(isOurs)) throw error
  }
  await write(file, edited)
}

async function fileAt(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? join(path, 'mobius.yaml') : path
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = explainReadError(error)
    if (code === 'CONFIG_NOT_FOUND') return ''
    throw unusable(file, message, error)
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeWhole(file, text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw unusable(file, `it could not be written: ${reason}`, error)
  }
}

function unusable(file: string, message: string, cause: unknown): ConfigError {
  const problems = [{ code: 'UNREADABLE', file, path: [], message } as const]
  return new ConfigError('CONFIG_UNREADABLE', { file, problems, cause })
}
