import type { JsonObject } from '@mobius-mcp/protocol'
import {
  fromCursor,
  principalKey,
  type Question,
  type QuestionQuery,
  type Questions,
  toPage,
} from '@mobius-mcp/state'
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { fromPrincipalKey } from './principal.ts'
import { questions } from './schema.ts'

type Row = typeof questions.$inferSelect

export function createStoredQuestions(database: Database): Questions {
  const { atomically } = database
  const prepared = prepareQuestions(database)
  const find = (id: string) => {
    const row = prepared.find.get({ id })
    return row && toQuestion(row)
  }
  const annul = (id: string, { reason, at }: { reason: string; at: number }) =>
    prepared.close.get({ ...nothing, id, state: 'void', reason, at })
  return {
    async ask({ id, principal, root, asker, method, params, askedAt }) {
      const row = { id, principal: principalKey(principal), root, asker, method, askedAt }
      return atomically(() => {
        prepared.ask.run({ ...row, params: JSON.stringify(params) })
        return toQuestion(prepared.find.get({ id }) as Row)
      })
    },
    async get(id) {
      return find(id)
    },
    async list(query = {}) {
      const { limit = 100 } = query
      const found = listQuestions(database, query, limit).map(toQuestion)
      return toPage(found, limit, ({ askedAt, id }) => ({ at: askedAt, id }))
    },
    async answer(id, { value, by, at }) {
      const answer = { answer: JSON.stringify(value), by: principalKey(by) }
      return prepared.close.get({ ...nothing, id, state: 'answered', ...answer, at }) !== undefined
    },
    async void(id, closing) {
      return annul(id, closing) !== undefined
    },
    async forget(before) {
      return prepared.forget.run({ before }).changes
    },
    async voidAsker(asker, closing) {
      return atomically(() =>
        prepared.open
          .all({ asker })
          .map(({ id }) => annul(id, closing))
          .filter((row) => row !== undefined)
          .map(toQuestion),
      )
    },
  }
}

const nothing = { answer: null, by: null, reason: null }

function prepareQuestions({ statements }: Database) {
  const { placeholder } = sql
  const ofId = eq(questions.id, placeholder('id'))
  return {
    find: statements.select().from(questions).where(ofId).prepare(),
    ask: statements
      .insert(questions)
      .values({
        id: placeholder('id'),
        principal: placeholder('principal'),
        root: placeholder('root'),
        asker: placeholder('asker'),
        method: placeholder('method'),
        params: placeholder('params'),
        state: 'open',
        askedAt: placeholder('askedAt'),
      })
      .onConflictDoNothing()
      .prepare(),
    close: statements
      .update(questions)
      .set({
        state: sql`${placeholder('state')}`,
        answer: sql`${placeholder('answer')}`,
        answeredBy: sql`${placeholder('by')}`,
        reason: sql`${placeholder('reason')}`,
        closedAt: sql`${placeholder('at')}`,
      })
      .where(and(ofId, eq(questions.state, 'open')))
      .returning()
      .prepare(),
    forget: statements
      .delete(questions)
      .where(lt(questions.closedAt, placeholder('before')))
      .prepare(),
    open: statements
      .select({ id: questions.id })
      .from(questions)
      .where(and(eq(questions.asker, placeholder('asker')), eq(questions.state, 'open')))
      .orderBy(asc(questions.askedAt), asc(questions.id))
      .prepare(),
  }
}

function listQuestions(
  { statements }: Database,
  { principal, root, state, cursor }: QuestionQuery,
  limit: number,
): Row[] {
  const place = cursor === undefined ? undefined : fromCursor(cursor)
  const filter = and(
    principal && eq(questions.principal, principalKey(principal)),
    root === undefined ? undefined : eq(questions.root, root),
    state === undefined ? undefined : eq(questions.state, state),
    place && sql`(${questions.askedAt}, ${questions.id}) < (${place.at}, ${place.id})`,
  )
  return statements
    .select()
    .from(questions)
    .where(filter)
    .orderBy(desc(questions.askedAt), desc(questions.id))
    .limit(limit + 1)
    .all()
}

function toQuestion(row: Row): Question {
  return {
    ...row,
    principal: fromPrincipalKey(row.principal),
    // Nothing but this writes them.
    params: JSON.parse(row.params) as JsonObject,
    answer: row.answer === null ? undefined : (JSON.parse(row.answer) as JsonObject),
    answeredBy: row.answeredBy === null ? undefined : fromPrincipalKey(row.answeredBy),
    reason: row.reason ?? undefined,
    closedAt: row.closedAt ?? undefined,
  }
}
