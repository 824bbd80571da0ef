import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/*
 * Change it, then `pnpm --filter @mobius-mcp/store generate`: what is kept already is migrated by
 * the file that comes of it. Times are milliseconds since the epoch, JSON is text.
 */

export const catalog = sqliteTable(
  'catalog',
  {
    key: text().primaryKey(),
    entry: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [index('catalog_at').on(table.at)],
)

/** Tokens, registrations and verifiers, sealed under their names and versions. */
export const secrets = sqliteTable(
  'secrets',
  {
    /** A digest of what it is found by: it tells nothing. */
    name: text().primaryKey(),
    /** A digest of what can be listed together. */
    group: text('group_name').notNull(),
    version: text().notNull(),
    /** When it is of no more use; absent for what lasts. */
    expiresAt: integer('expires_at'),
    sealed: text().notNull(),
  },
  (table) => [
    index('secrets_group').on(table.group),
    index('secrets_expires_at').on(table.expiresAt),
  ],
)

export const leases = sqliteTable('leases', {
  owner: text().primaryKey(),
  until: integer('until_at').notNull(),
})

export const sessions = sqliteTable(
  'sessions',
  {
    key: text().primaryKey(),
    owner: text(),
    seenAt: integer('seen_at').notNull(),
    logLevel: text('log_level'),
    subscriptions: text().notNull(),
    memory: text(),
    /** What does not change. */
    session: text().notNull(),
  },
  (table) => [index('sessions_seen_at').on(table.seenAt)],
)

export const events = sqliteTable(
  'events',
  {
    /** The order in which they were kept. */
    position: integer().primaryKey({ autoIncrement: true }),
    scope: text().notNull(),
    channel: integer().notNull(),
    sequence: integer().notNull(),
    data: text().notNull(),
    final: integer({ mode: 'boolean' }).notNull(),
    at: integer().notNull(),
  },
  (table) => [
    uniqueIndex('events_place').on(table.scope, table.channel, table.sequence),
    index('events_at').on(table.at),
  ],
)

export const threads = sqliteTable(
  'threads',
  {
    id: text().primaryKey(),
    principal: text().notNull(),
    agent: text().notNull(),
    title: text().notNull(),
    /** The title as it is searched. */
    folded: text().notNull(),
    parent: text(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    last: integer().notNull(),
  },
  (table) => [index('threads_updated').on(table.principal, table.updatedAt, table.id)],
)

export const threadItems = sqliteTable(
  'thread_items',
  {
    thread: text()
      .notNull()
      .references(() => threads.id, { onDelete: 'cascade' }),
    sequence: integer().notNull(),
    id: text().notNull(),
    at: integer().notNull(),
    value: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.thread, table.sequence] }),
    uniqueIndex('thread_items_id').on(table.thread, table.id),
  ],
)

export const questions = sqliteTable(
  'questions',
  {
    id: text().primaryKey(),
    principal: text().notNull(),
    root: text().notNull(),
    asker: text().notNull(),
    method: text().notNull(),
    params: text().notNull(),
    state: text({ enum: ['open', 'answered', 'void'] }).notNull(),
    askedAt: integer('asked_at').notNull(),
    answer: text(),
    answeredBy: text('answered_by'),
    reason: text(),
    closedAt: integer('closed_at'),
  },
  (table) => [
    index('questions_asked').on(table.askedAt, table.id),
    index('questions_principal').on(table.principal, table.askedAt, table.id),
    index('questions_root').on(table.root, table.askedAt, table.id),
    index('questions_state').on(table.state, table.askedAt, table.id),
    index('questions_closed').on(table.closedAt),
    index('questions_asker').on(table.asker, table.state),
  ],
)

export const runs = sqliteTable(
  'runs',
  {
    id: text().primaryKey(),
    kind: text().notNull(),
    input: text(),
    state: text({ enum: ['open', 'ended'] }).notNull(),
    owner: text(),
    generation: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
    result: text(),
  },
  (table) => [
    index('runs_state').on(table.state, table.createdAt),
    index('runs_ended').on(table.endedAt),
    index('runs_kind').on(table.kind, table.createdAt),
  ],
)

export const steps = sqliteTable(
  'steps',
  {
    run: text()
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    key: text().notNull(),
    state: text({ enum: ['started', 'finished', 'failed', 'interrupted'] }).notNull(),
    idempotent: integer({ mode: 'boolean' }).notNull(),
    attempts: integer().notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    result: text(),
  },
  (table) => [
    primaryKey({ columns: [table.run, table.position] }),
    uniqueIndex('steps_key').on(table.run, table.key),
  ],
)
