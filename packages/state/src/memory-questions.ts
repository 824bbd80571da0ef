import { comparePlaces, fromCursor, type Place, toPage } from './page.ts'
import { principalKey } from './principal-name.ts'
import type { Question, QuestionQuery, Questions } from './questions.ts'

/** Makes a store of questions that forgets with the process. */
export function createMemoryQuestions(): Questions {
  const questions = new Map<string, Question>()
  const close = (id: string, change: Partial<Question>) => {
    const question = questions.get(id)
    if (question?.state !== 'open') return undefined
    const closed = { ...question, ...change }
    questions.set(id, closed)
    return closed
  }
  const annul = (id: string, { reason, at }: { reason: string; at: number }) =>
    close(id, { state: 'void', reason, closedAt: at })
  return {
    async ask(question) {
      const known = questions.get(question.id)
      if (known) return known
      const { id, issuer } = question.principal
      const asked: Question = { ...question, principal: { id, issuer }, state: 'open' }
      questions.set(asked.id, asked)
      return asked
    },
    async get(id) {
      return questions.get(id)
    },
    async list(query = {}) {
      const { limit = 100 } = query
      const found = [...questions.values()]
        .filter(filterOf(query))
        .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
      return toPage(found, limit, placeOf)
    },
    async answer(id, { value, by, at }) {
      const answeredBy = { id: by.id, issuer: by.issuer }
      return close(id, { state: 'answered', answer: value, answeredBy, closedAt: at }) !== undefined
    },
    async void(id, closing) {
      return annul(id, closing) !== undefined
    },
    async forget(before) {
      const old = [...questions.values()].filter(({ closedAt = before }) => closedAt < before)
      for (const { id } of old) questions.delete(id)
      return old.length
    },
    async voidAsker(asker, closing) {
      return [...questions.values()]
        .filter((question) => question.asker === asker)
        .sort((a, b) => comparePlaces(placeOf(b), placeOf(a)))
        .map(({ id }) => annul(id, closing))
        .filter((question) => question !== undefined)
    },
  }
}

function filterOf({ principal, root, state, cursor }: QuestionQuery): (q: Question) => boolean {
  const place = cursor === undefined ? undefined : fromCursor(cursor)
  const owner = principal && principalKey(principal)
  return (question) =>
    (owner === undefined || principalKey(question.principal) === owner) &&
    (root === undefined || question.root === root) &&
    (state === undefined || question.state === state) &&
    (place === undefined || comparePlaces(placeOf(question), place) > 0)
}

function placeOf({ askedAt, id }: Question): Place {
  return { at: askedAt, id }
}
