import { randomUUID } from 'node:crypto'
import type {
  ClientRegistration,
  CodeVerifier,
  StoredTokens,
  TokenKey,
  Tokens,
} from '@mobius-mcp/state'
import { and, eq, lte, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { secrets } from './schema.ts'
import { digest, type Sealing } from './sealing.ts'

type Secret = typeof secrets.$inferSelect
type SecretNames = Pick<Secret, 'name' | 'group'>

/** Tokens in the database, each sealed under its name and version. */
export function createStoredTokens(database: Database, sealing: Sealing): Tokens {
  const prepared = prepareSecrets(database)
  const open = (row: Secret | undefined) =>
    row && sealing.unseal(`${row.name}.${row.version}`, row.sealed)

  /** Makes the next state of a secret, where it is still `expected`, `undefined` for nothing. */
  const write = async (
    names: SecretNames,
    value: unknown,
    expected?: string,
    expiresAt?: number,
  ) => {
    const version = randomUUID()
    const sealed = await sealing.seal(`${names.name}.${version}`, value)
    const row = { ...names, version, sealed, expiresAt: expiresAt ?? null }
    const replace = (known: string) =>
      prepared.replace.run({ ...row, expected: known }).changes === 1
    if (expected !== undefined) return replace(expected) ? version : undefined
    if (prepared.insert.run(row).changes === 1) return version
    // What cannot be opened counts as nothing, or nobody could ever sign in again.
    const present = prepared.find.get({ name: names.name })
    const usable = present === undefined || (await open(present)) !== undefined
    return !usable && replace(present.version) ? version : undefined
  }

  const toStored = async (row: Secret | undefined): Promise<StoredTokens | undefined> => {
    // Sealed by us, under this very name: nobody else can have written it.
    const found = (await open(row)) as Pick<StoredTokens, 'key' | 'tokens'> | undefined
    return row && found && { key: found.key, tokens: found.tokens, version: row.version }
  }

  return {
    async get(key) {
      return await toStored(prepared.find.get({ name: namesOf(key).name }))
    },
    async set(key, tokens, expected) {
      const { principal, issuer, resource } = key
      const owner = { id: principal.id, issuer: principal.issuer }
      return await write(
        namesOf(key),
        { key: { principal: owner, issuer, resource }, tokens },
        expected,
      )
    },
    async delete(key, expected) {
      return prepared.remove.run({ name: namesOf(key).name, expected }).changes === 1
    },
    async list(principal, resource) {
      const rows = prepared.group.all({ group: groupOf({ principal, resource }) })
      const all = await Promise.all(rows.map(toStored))
      return all.filter((stored) => stored !== undefined)
    },
    async registration(issuer) {
      const { name } = clientNames(issuer)
      return (await open(prepared.find.get({ name }))) as ClientRegistration | undefined
    },
    async setRegistration(issuer, registration) {
      const names = clientNames(issuer)
      if (!registration) {
        prepared.drop.run({ name: names.name })
        return
      }
      for (;;) {
        const present = prepared.find.get({ name: names.name })
        if (await write(names, registration, present?.version)) return
      }
    },
    async saveVerifier(state, verifier) {
      const name = digest('verifier', state)
      await write({ name, group: name }, verifier, undefined, verifier.expiresAt)
    },
    async takeVerifier(state, now) {
      const taken = prepared.take.get({ name: digest('verifier', state) })
      prepared.expire.run({ now })
      const verifier = (await open(taken)) as CodeVerifier | undefined
      return verifier && verifier.expiresAt > now ? verifier : undefined
    },
  }
}

function prepareSecrets({ statements }: Database) {
  const { placeholder } = sql
  const ofName = eq(secrets.name, placeholder('name'))
  const asExpected = and(ofName, eq(secrets.version, placeholder('expected')))
  const values = {
    name: placeholder('name'),
    group: placeholder('group'),
    version: placeholder('version'),
    expiresAt: placeholder('expiresAt'),
    sealed: placeholder('sealed'),
  }
  return {
    find: statements.select().from(secrets).where(ofName).prepare(),
    group: statements
      .select()
      .from(secrets)
      .where(eq(secrets.group, placeholder('group')))
      .prepare(),
    insert: statements.insert(secrets).values(values).onConflictDoNothing().prepare(),
    replace: statements
      .update(secrets)
      .set({
        version: sql`${values.version}`,
        expiresAt: sql`${values.expiresAt}`,
        sealed: sql`${values.sealed}`,
      })
      .where(asExpected)
      .prepare(),
    remove: statements.delete(secrets).where(asExpected).prepare(),
    drop: statements.delete(secrets).where(ofName).prepare(),
    take: statements.delete(secrets).where(ofName).returning().prepare(),
    expire: statements
      .delete(secrets)
      .where(lte(secrets.expiresAt, placeholder('now')))
      .prepare(),
  }
}

function groupOf({ principal, resource }: Pick<TokenKey, 'principal' | 'resource'>): string {
  return digest('tokens', principal.issuer, principal.id, resource)
}

function namesOf(key: TokenKey): SecretNames {
  const { principal, issuer, resource } = key
  const name = digest('tokens', principal.issuer, principal.id, resource, issuer)
  return { name, group: groupOf(key) }
}

function clientNames(issuer: string): SecretNames {
  const name = digest('client', issuer)
  return { name, group: name }
}
