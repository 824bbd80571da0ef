import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  createTokensProblem,
  makeKeyFile,
  readKeyFile,
  StateError,
  seal,
  type TokensProblem,
  type TokensProblemCode,
  unseal,
} from '@mobius-mcp/state/file'

export interface SealingOptions {
  /** Told of each secret that could not be opened. */
  readonly onProblem?: ((problem: TokensProblem) => void) | undefined
}

/** Seals what is kept, with the key that stands in a folder and is made when it is first needed. */
export interface Sealing {
  /** @throws StateError `TOKENS_KEY_UNUSABLE`, or what kept the key from being written. */
  seal(name: string, value: unknown): Promise<string>
  /** `undefined`, and reported, where it cannot be opened: somebody has to sign in again. */
  unseal(name: string, text: string): Promise<unknown>
}

export function createSealing(folder: string, { onProblem }: SealingOptions): Sealing {
  let warned = false
  const report = (code: TokensProblemCode, file: string) =>
    onProblem?.(createTokensProblem(code, file))
  /** Read each time, for somebody may clear the state folder meanwhile. */
  const findKey = async () => {
    const found = await readKeyFile(folder)
    if (found.kind === 'unusable') report('TOKENS_KEY_UNUSABLE', found.file)
    if (found.kind !== 'key') return undefined
    if (found.exposed && !warned) report('TOKENS_KEY_EXPOSED', join(folder, 'key'))
    warned ||= found.exposed
    return found.key
  }
  const needKey = async () => {
    const known = await findKey()
    if (known) return known
    await makeKeyFile(folder)
    const made = await findKey()
    if (made) return made
    throw new StateError(createTokensProblem('TOKENS_KEY_UNUSABLE', join(folder, 'key')))
  }
  return {
    async seal(name, value) {
      return seal(await needKey(), name, value)
    },
    async unseal(name, text) {
      const key = await findKey()
      const found = key ? unseal(key, name, text) : ({ kind: 'corrupt' } as const)
      if (found.kind === 'value') return found.value
      report(found.kind === 'newer' ? 'TOKENS_NEWER' : 'TOKENS_CORRUPT', name)
      return undefined
    },
  }
}

/** It tells nothing of what it is made of. */
export function digest(kind: string, ...parts: readonly (string | undefined)[]): string {
  const text = JSON.stringify(parts.map((part) => part ?? null))
  return `${kind}-${createHash('sha256').update(text).digest('hex')}`
}
