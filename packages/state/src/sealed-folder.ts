import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createTokensProblem,
  StateError,
  type TokensProblem,
  type TokensProblemCode,
} from './errors.ts'
import { createFile, isMissing } from './files.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import { seal, type Unsealed, unseal } from './seal.ts'

export interface SealedFolderOptions {
  /** Told of each file that could not be used. */
  readonly onProblem?: ((problem: TokensProblem) => void) | undefined
}

/** A record's present state. */
export interface SealedRecord {
  readonly version: number
  readonly value: unknown
}

/** What a file holds. */
interface State {
  readonly id: string
  /** The ids of the states before this one, the latest last. */
  readonly before: readonly string[]
  /** `null` where the record was removed. */
  readonly value: unknown
}

/** What a record is found by. */
export interface RecordKey {
  /** What its kind is called in the names of files. */
  readonly kind: 'tokens' | 'client' | 'verifier'
  /** The records of a group can be listed, without opening any other. */
  readonly group: string
  /** Which one of its group it is. */
  readonly member?: string | undefined
}

const extension = '.sealed'
/** How often a record is looked for again that was replaced while it was being read. */
const patience = 20
/** How many states may follow while one is being made. */
const remembered = 16
/** Longer than any process writes a draft, or waits for a browser. */
const abandonedAfter = 24 * 3_600_000

/**
 * Encrypted records, each a file, in a folder that several processes may use at once. Every state
 * of a record is a file of its own with the next number, which only one process can make: that is
 * the compare-and-swap, and needs no lock that a killed process could leave behind.
 */
export class SealedFolder {
  readonly #folder: string
  readonly #options: SealedFolderOptions
  #swept = false
  /** So that an exposed key is reported once. */
  #warned = false

  constructor(folder: string, options: SealedFolderOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** The record's present state; `undefined` where there is none, or none that can be used. */
  async read(key: RecordKey): Promise<SealedRecord | undefined> {
    return await this.#read(nameOf(key))
  }

  /**
   * Makes the record's next state, where it is still in the state `expected`, 0 for none. Resolves
   * with its version, where it did. `null` as the value removes it.
   *
   * @throws StateError, or what kept the file from being written.
   */
  async write(key: RecordKey, value: unknown, expected: number): Promise<number | undefined> {
    const sealKey = await this.#keyForWriting()
    await this.#sweep()
    const name = nameOf(key)
    const latest = await this.#latest(name)
    const present = await this.#readState(name)
    // What is damaged counts as nothing, or nobody could ever sign in again.
    if ((isRecord(present) ? present.version : 0) !== expected) return undefined
    const version = latest + 1
    const file = fileOf(name, version)
    const state = nextState(present?.state, value)
    if (!(await createFile(this.#folder, join(this.#folder, file), seal(sealKey, file, state)))) {
      return undefined
    }
    if (await this.#isStray(name, version, state)) {
      await this.#remove(file)
      return undefined
    }
    await this.#clear(name, version)
    return version
  }

  /** Gives a record out to the one who removes it. */
  async take(key: RecordKey): Promise<unknown> {
    const record = await this.read(key)
    if (!record) return undefined
    try {
      await rm(join(this.#folder, fileOf(nameOf(key), record.version)))
      return record.value
    } catch {
      return undefined
    }
  }

  /** The present states of the records of a group. */
  async list({ kind, group }: Omit<RecordKey, 'member'>): Promise<SealedRecord[]> {
    const beginning = groupNameOf(kind, group)
    const names = (await this.#files()).map(({ name }) => name)
    const own = [...new Set(names)].filter((name) => name.startsWith(beginning))
    const records = await Promise.all(own.map((name) => this.#read(name)))
    return records.filter((record) => record !== undefined)
  }

  async #read(name: string): Promise<SealedRecord | undefined> {
    const found = await this.#readState(name)
    return isRecord(found) ? { version: found.version, value: found.state.value } : undefined
  }

  /** The latest state, of a removed record too. */
  async #readState(name: string): Promise<Found | undefined> {
    for (let attempt = 0; attempt < patience; attempt++) {
      const version = await this.#latest(name)
      if (version === 0) return undefined
      const found = await this.#open(fileOf(name, version))
      // Sealed by us, under this very name: nobody else can have written it.
      if (found.kind === 'value') return { version, state: found.value as State }
      if (found.kind !== 'missing') return undefined
    }
    return undefined
  }

  /** A slow process may have made a number anew that had been used and cleared away. */
  async #isStray(name: string, version: number, { id }: State): Promise<boolean> {
    if ((await this.#latest(name)) === version) return false
    const latest = await this.#readState(name)
    return latest !== undefined && latest.state.id !== id && !latest.state.before.includes(id)
  }

  /** What a file holds. What cannot be used is reported. */
  async #open(file: string): Promise<Unsealed | { kind: 'missing' }> {
    try {
      const text = await readFile(join(this.#folder, file), 'utf8')
      const key = await this.#findKey()
      const found = key ? unseal(key, file, text) : ({ kind: 'corrupt' } as const)
      if (found.kind === 'corrupt') this.#report('TOKENS_CORRUPT', file)
      if (found.kind === 'newer') this.#report('TOKENS_NEWER', file)
      return found
    } catch (error) {
      if (isMissing(error)) return { kind: 'missing' }
      this.#report('TOKENS_UNREADABLE', file, error)
      return { kind: 'corrupt' }
    }
  }

  async #latest(name: string): Promise<number> {
    const versions = (await this.#files()).filter((file) => file.name === name)
    return Math.max(0, ...versions.map(({ version }) => version))
  }

  /** Removes the states before this one. */
  async #clear(name: string, version: number): Promise<void> {
    for (const file of await this.#files()) {
      if (file.name === name && file.version < version) await this.#remove(file.file)
    }
  }

  async #remove(file: string): Promise<void> {
    // Where another process has it open, as Windows minds, it is removed another time.
    await rm(join(this.#folder, file), { force: true }).catch(() => {})
  }

  async #files(): Promise<readonly SealedFile[]> {
    return (await this.#names()).flatMap((file) => {
      const [, name, version] = /^([a-z]+-[0-9a-f]{64})\.(\d{1,15})\.sealed$/.exec(file) ?? []
      return name === undefined ? [] : [{ file, name, version: Number(version) }]
    })
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#folder)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  /** Read each time, for somebody may clear the state folder meanwhile. */
  async #findKey(): Promise<Uint8Array | undefined> {
    const found = await readKeyFile(this.#folder)
    if (found.kind === 'unusable') this.#report('TOKENS_KEY_UNUSABLE', 'key')
    if (found.kind !== 'key') return undefined
    if (found.exposed && !this.#warned) this.#report('TOKENS_KEY_EXPOSED', 'key')
    this.#warned ||= found.exposed
    return found.key
  }

  async #keyForWriting(): Promise<Uint8Array> {
    const known = await this.#findKey()
    if (known) return known
    await makeKeyFile(this.#folder)
    const made = await this.#findKey()
    if (made) return made
    throw new StateError(createTokensProblem('TOKENS_KEY_UNUSABLE', join(this.#folder, 'key')))
  }

  /** Tidies up, once: drafts of processes that were killed, and sign-ins that nobody finished. */
  async #sweep(): Promise<void> {
    if (this.#swept) return
    this.#swept = true
    for (const file of await this.#names()) {
      if (!file.endsWith('.tmp') && !/^verifier-.*\.sealed$/.test(file)) continue
      const found = await stat(join(this.#folder, file)).catch(() => undefined)
      if (found && Date.now() - found.mtimeMs > abandonedAfter) await this.#remove(file)
    }
  }

  #report(code: TokensProblemCode, file: string, cause?: unknown): void {
    this.#options.onProblem?.(createTokensProblem(code, join(this.#folder, file), cause))
  }
}

interface Found {
  readonly version: number
  readonly state: State
}

function isRecord(found: Found | undefined): found is Found {
  return found !== undefined && found.state.value !== null
}

function nextState(present: State | undefined, value: unknown): State {
  const before = present ? [...present.before, present.id].slice(-remembered) : []
  return { id: randomBytes(8).toString('hex'), before, value }
}

interface SealedFile {
  readonly file: string
  readonly name: string
  readonly version: number
}

/** It tells nothing of the key. */
function nameOf({ kind, group, member = '' }: RecordKey): string {
  return groupNameOf(kind, group) + digest(JSON.stringify([group, member]))
}

function groupNameOf(kind: RecordKey['kind'], group: string): string {
  return `${kind}-${digest(group)}`
}

/** 128 bits: two halves make a name. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function fileOf(name: string, version: number): string {
  return `${name}.${version}${extension}`
}
