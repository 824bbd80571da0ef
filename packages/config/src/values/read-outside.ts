import { join, resolve } from 'node:path'
import { explainReadError } from '../read/read-error.ts'
import { type OutsideReference, outsideKey } from './expand-tree.ts'
import type { RunProgram } from './run-program.ts'
import { splitArguments } from './split-arguments.ts'
import type { Environment, Failure } from './value-sources.ts'

export interface ReadOutsideOptions {
  readonly env: Environment
  /** Whether programs may be run at all. */
  readonly allowExec: boolean
  readonly readFile: (path: string) => Promise<string>
  readonly run: RunProgram
}

const timeout = 30_000
const longest = 2 ** 20

/** Reads what references name, all at once; the files among them are told to `onFile`. */
export async function readOutside(
  references: readonly OutsideReference[],
  options: ReadOutsideOptions,
  onFile: (path: string) => void,
): Promise<(reference: OutsideReference) => string | Failure> {
  const values = new Map<string, string | Failure>()
  await Promise.all(
    references.map(async (reference) => {
      const { kind, name, source } = reference
      const path = resolve(source.folder, atHome(name, options.env))
      if (kind === 'file') onFile(path)
      const value =
        kind === 'file' ? await readValue(path, options) : await runValue(reference, options)
      values.set(outsideKey(reference), value)
    }),
  )
  return (reference) =>
    values.get(outsideKey(reference)) ?? unreadable('it was not read with the others')
}

async function readValue(
  path: string,
  { readFile }: ReadOutsideOptions,
): Promise<string | Failure> {
  try {
    const text = await readFile(path)
    if (text.length > longest) return unreadable(`the file ${path} is larger than a secret is`)
    return text.trim() || unreadable(`the file ${path} is empty`)
  } catch (error) {
    return unreadable(`the file ${path} cannot be read: ${explainReadError(error).message}`)
  }
}

async function runValue(
  { name, source }: OutsideReference,
  { allowExec, env, run }: ReadOutsideOptions,
): Promise<string | Failure> {
  const [program, ...args] = splitArguments(name) ?? []
  if (program === undefined) return { code: 'WRONG_VALUE', message: commandForm }
  if (!allowExec) return unreadable(notAllowed)
  try {
    const options = { cwd: source.folder, env, timeout }
    const text = await run(atHome(program, env), args, options)
    return text.trim() || unreadable(`the program ${program} printed nothing`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return unreadable(`the program ${program} gave no value: ${reason}`)
  }
}

const commandForm = 'expected a program and its arguments after exec:, with every quote closed'
const notAllowed =
  'a program is run only for a file that you name yourself: on the command line or in MOBIUS_CONFIG'

function unreadable(message: string): Failure {
  return { code: 'UNREADABLE', message }
}

function atHome(path: string, env: Environment): string {
  const home = env.HOME ?? env.USERPROFILE
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path
}
