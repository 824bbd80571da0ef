import { createHash } from 'node:crypto'
import type { QuestionReport } from '@mobius-mcp/server-meta'
import type { Question } from '@mobius-mcp/state'
import type { Logger } from '@mobius-mcp/telemetry/log'
import type { LazyState } from './lazy-state.ts'
import type { Answer, AskedCall } from './questions.ts'

/** How approvals are told from what servers ask, among all questions that are kept. */
export const approvalMethod = 'approval'

/** What is kept of approvals: that somebody was asked, and what they said. */
export interface ApprovalRecord {
  /** What was answered already, where a step of a durable run asks once more. */
  begin(question: QuestionReport, call: AskedCall): Promise<Answer | undefined>
  /** It is kept before the call goes on. */
  end(question: QuestionReport, call: AskedCall, answer: Answer): Promise<void>
}

/** Keeps them in the database. What cannot be kept is asked all the same. */
export function createApprovalRecord(state: LazyState, logger: Logger): ApprovalRecord {
  const survive = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      logger.warn(`A question could not be kept. ${why}`)
      return undefined
    }
  }
  return {
    begin: (question, call) =>
      survive(async () => {
        const { store, owner } = await state.open()
        const { id, askedAt } = question
        const { principal, root, step } = call
        const kept = await store.questions.ask({
          ...{ id, askedAt, principal, root: root.id },
          asker: step ?? askerOf(owner.id),
          method: approvalMethod,
          params: { ...question },
        })
        return step !== undefined && kept.asker === step ? toAnswer(kept) : undefined
      }),
    async end({ id }, _call, answer) {
      await survive(async () => {
        const { store } = await state.open()
        const at = Date.now()
        const { approved, principal: by, reason = '' } = answer
        if (by) await store.questions.answer(id, { value: { approved, reason }, by, at })
        else await store.questions.void(id, { reason: `${answer.by}: ${reason}`, at })
      })
    },
  }
}

/** The same each time that a step asks, so that an answer counts that came before its process died. */
export function questionId({ step }: Pick<AskedCall, 'step'>): string {
  if (step === undefined) return crypto.randomUUID().slice(0, 8)
  return createHash('sha256').update(step).digest('hex').slice(0, 12)
}

/** What asks for a call that is no step: the process that carries it, with which it ends. */
export function askerOf(owner: string): string {
  return `process:${owner}`
}

function toAnswer({ state, answer, answeredBy }: Question): Answer | undefined {
  if (state !== 'answered' || !answer) return undefined
  const { approved, reason } = answer
  return {
    approved: approved === true,
    by: answeredBy?.id ?? 'an operator',
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
  }
}
