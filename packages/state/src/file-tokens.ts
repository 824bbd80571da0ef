import { isObject } from '@mobius-mcp/protocol'
import { textOf } from './memory-tokens.ts'
import {
  type RecordKey,
  SealedFolder,
  type SealedFolderOptions,
  type SealedRecord,
} from './sealed-folder.ts'
import type {
  ClientRegistration,
  CodeVerifier,
  StoredTokens,
  TokenKey,
  TokenOwner,
  TokenSet,
  Tokens,
} from './tokens.ts'

export type FileTokensOptions = SealedFolderOptions

/**
 * Keeps tokens in a folder, each in a file, encrypted with AES-256-GCM and readable by their owner
 * alone, as is the key that stands beside them and is made when it is first needed. Several
 * processes may use one folder. What is damaged or foreign is reported and counts as nothing.
 */
export function openFileTokens(folder: string, options: FileTokensOptions = {}): Tokens {
  return new FileTokens(new SealedFolder(folder, options))
}

class FileTokens implements Tokens {
  readonly #folder: SealedFolder

  constructor(folder: SealedFolder) {
    this.#folder = folder
  }

  async get(key: TokenKey): Promise<StoredTokens | undefined> {
    return toStored(await this.#folder.read(recordOf(key)))
  }

  async set(
    key: TokenKey,
    tokens: TokenSet,
    expected: string | undefined,
  ): Promise<string | undefined> {
    const { principal, issuer, resource } = key
    const owner = { id: principal.id, issuer: principal.issuer }
    const value = { key: { principal: owner, issuer, resource }, tokens }
    return await this.#write(recordOf(key), value, Number(expected ?? 0))
  }

  async delete(key: TokenKey, expected: string): Promise<boolean> {
    return (await this.#write(recordOf(key), null, Number(expected))) !== undefined
  }

  async list(principal: TokenOwner, resource: string): Promise<StoredTokens[]> {
    const group = groupOf(principal, resource)
    const all = (await this.#folder.list({ kind: 'tokens', group })).map(toStored)
    return all
      .filter((stored) => stored !== undefined)
      .filter(({ key }) => textOf(key) === textOf({ ...key, principal, resource }))
  }

  async registration(issuer: string): Promise<ClientRegistration | undefined> {
    const record = await this.#folder.read({ kind: 'client', group: issuer })
    // Sealed by us, under this very name: nobody else can have written it.
    return record?.value as ClientRegistration | undefined
  }

  async setRegistration(
    issuer: string,
    registration: ClientRegistration | undefined,
  ): Promise<void> {
    for (;;) {
      const key: RecordKey = { kind: 'client', group: issuer }
      const present = await this.#folder.read(key)
      if (!(present || registration)) return
      const version = present?.version ?? 0
      if (await this.#write(key, registration ?? null, version)) return
    }
  }

  async saveVerifier(state: string, verifier: CodeVerifier): Promise<void> {
    await this.#folder.write({ kind: 'verifier', group: state }, verifier, 0)
  }

  async takeVerifier(state: string, now: number): Promise<CodeVerifier | undefined> {
    const key: RecordKey = { kind: 'verifier', group: state }
    const verifier = (await this.#folder.take(key)) as CodeVerifier | undefined
    return verifier && verifier.expiresAt > now ? verifier : undefined
  }

  async #write(key: RecordKey, value: unknown, expected: number): Promise<string | undefined> {
    const version = await this.#folder.write(key, value, expected)
    return version === undefined ? undefined : String(version)
  }
}

/** What a principal has for a server stands together, whoever issued it. */
function groupOf(principal: TokenOwner, resource: string): string {
  return JSON.stringify([principal.issuer ?? null, principal.id, resource])
}

function recordOf({ principal, resource, issuer }: TokenKey): RecordKey {
  return { kind: 'tokens', group: groupOf(principal, resource), member: issuer }
}

function toStored(record: SealedRecord | undefined): StoredTokens | undefined {
  if (!record || !isObject(record.value)) return undefined
  // Sealed by us, under this very name: nobody else can have written it.
  const { key, tokens } = record.value as unknown as Pick<StoredTokens, 'key' | 'tokens'>
  return { key, tokens, version: String(record.version) }
}
