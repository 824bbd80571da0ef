import { posix } from 'node:path'
import {
  type Configuration,
  formatProblem,
  type LoadConfigOptions,
  loadConfig,
} from '../src/index.ts'

/** Files in memory, by absolute paths. */
export type Files = Readonly<Record<string, string>>

/** Loads what stands in memory, and nothing else. */
export function loadFiles(
  files: Files,
  paths: string | readonly string[],
  options: LoadConfigOptions = {},
): Promise<Configuration> {
  return loadConfig(paths, {
    ...options,
    readFile: async (path) => files[path] ?? Promise.reject(noSuchFile()),
    readFolder: async (path) => namesIn(files, path),
  })
}

/** What the person reads of it. */
export async function refusalOf(
  files: Files,
  paths: string | readonly string[],
  options: LoadConfigOptions = {},
): Promise<string> {
  try {
    await loadFiles(files, paths, options)
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return error.message
    throw error
  }
  throw new Error('Expected the files to be refused')
}

/** What is read and has no effect, as the person reads it. */
export function warningsOf({ warnings }: Configuration): string[] {
  return warnings.map(formatProblem)
}

function namesIn(files: Files, folder: string): string[] {
  const below = Object.keys(files).filter((path) => path.startsWith(`${folder}/`))
  if (below.length === 0) throw noSuchFile()
  return [...new Set(below.map((path) => posix.relative(folder, path).split('/', 1)[0] ?? ''))]
}

function noSuchFile(): Error {
  return Object.assign(new Error('no such file'), { code: 'ENOENT' })
}
