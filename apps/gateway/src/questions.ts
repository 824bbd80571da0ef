import {
  type CancelListener,
  type Cancellation,
  type Clock,
  isObject,
  type JsonObject,
  type Origin,
  type Principal,
  type Session,
  systemClock,
} from '@mobius-mcp/protocol'
import type { QuestionReport } from '@mobius-mcp/server-meta'
import { type ApprovalRecord, questionId } from './approval-record.ts'
import { toElicitation } from './question-text.ts'

/** A call that a rule or a hook wants somebody to approve. */
export interface AskedCall {
  readonly id: string
  readonly server: string
  readonly method: string
  readonly name: string
  readonly params: JsonObject
  readonly principal: Principal
  readonly origin: Origin
  readonly root: Pick<Session, 'id'>
  /** The step of a durable run that makes it. */
  readonly step?: string | undefined
}

export interface AskOptions {
  /** The rule or the hook that asks, for whoever is to answer. */
  readonly why: string | undefined
  /** Whoever takes the call back makes the question void. */
  readonly cancellation: Cancellation
}

/** What came of a question. */
export interface Answer {
  readonly approved: boolean
  /** Who said so, in words. */
  readonly by: string
  /** Whoever said so; absent where nobody did. */
  readonly principal?: Principal
  readonly reason?: string
}

export interface QuestionsOptions {
  readonly clock?: Clock | undefined
  /** Milliseconds until a question that nobody answers counts as denied; 2 minutes by default. */
  readonly patience?: number | undefined
  /** Keeps what is asked and answered; by default it is gone with the process. */
  readonly record?: ApprovalRecord | undefined
  /** Told of each question when it is asked: somebody has to learn of it. */
  readonly onAsked?: ((question: QuestionReport) => void) | undefined
}

/** The inbox of those who may approve. The first answer counts. */
export interface Questions {
  ask(call: AskedCall, options: AskOptions): Promise<Answer>
  list(): readonly QuestionReport[]
  /** Calls back whenever a question is asked or closed; returns its own undo. */
  watch(listener: () => void): () => void
  /** False where no such question is open. */
  answer(id: string, approved: boolean, by: Principal, reason?: string): boolean
  /** From now on the person at the session is asked too, if its client can. */
  addOperator(session: Session, principal: Principal): void
  /** The process ends: what steps of durable runs have asked stays open, for the next one to ask again. */
  close(): void
}

/** Makes an inbox that is empty and that nobody watches yet. */
export function createQuestions(options: QuestionsOptions = {}): Questions {
  return new QuestionInbox(options)
}

class QuestionInbox implements Questions {
  readonly #clock: Clock
  readonly #patience: number
  readonly #record: ApprovalRecord | undefined
  readonly #onAsked: QuestionsOptions['onAsked']
  readonly #open = new Map<string, Question>()
  readonly #operators = new Map<Session, Principal>()
  readonly #listeners = new Set<() => void>()
  #closed = false

  constructor({ clock = systemClock, patience = 120_000, record, onAsked }: QuestionsOptions) {
    this.#clock = clock
    this.#patience = patience
    this.#record = record
    this.#onAsked = onAsked
  }

  async ask(call: AskedCall, { why, cancellation }: AskOptions): Promise<Answer> {
    const left: Answer = { approved: false, by: 'the caller', reason: 'it left' }
    if (cancellation.cancelled) return left
    const now = this.#clock.now()
    const report = toReport(call, why, { askedAt: now, until: now + this.#patience })
    const known = this.#record && (await this.#record.begin(report, call))
    if (known) return known
    const answer = cancellation.cancelled ? left : await this.#wait(report, cancellation)
    // Whoever goes on with the run asks again.
    if (!(this.#closed && call.step !== undefined)) await this.#record?.end(report, call, answer)
    return answer
  }

  close(): void {
    this.#closed = true
  }

  #wait(report: QuestionReport, cancellation: Cancellation): Promise<Answer> {
    const question = new Question(report, cancellation, () => {
      this.#clock.clear(timer)
      this.#open.delete(report.id)
      this.#tell()
    })
    const timer = this.#clock.set(
      () => question.close({ approved: false, by: 'nobody', reason: 'no answer came in time' }),
      this.#patience,
    )
    this.#open.set(report.id, question)
    for (const [session, operator] of this.#operators) void this.#put(question, session, operator)
    this.#onAsked?.(report)
    this.#tell()
    return question.answered
  }

  list(): readonly QuestionReport[] {
    return Array.from(this.#open.values(), ({ report }) => report)
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  answer(id: string, approved: boolean, by: Principal, reason?: string): boolean {
    const question = this.#open.get(id)
    const why = reason === undefined ? {} : { reason }
    question?.close({ approved, by: by.id, principal: by, ...why })
    return question !== undefined
  }

  addOperator(session: Session, principal: Principal): void {
    if (session.ending.cancelled || this.#operators.has(session)) return
    this.#operators.set(session, principal)
    session.ending.listen({ onCancel: () => this.#operators.delete(session) })
    for (const question of this.#open.values()) void this.#put(question, session, principal)
  }

  /** Puts a question to one person. Who cannot be asked, or has no answer, leaves it to the others. */
  async #put(question: Question, session: Session, operator: Principal): Promise<void> {
    if (!session.peer?.capabilities.elicitation) return
    try {
      const { action, content } = await session.request(
        'elicitation/create',
        toElicitation(question.report),
        { signal: question.closed, timeouts: { request: this.#patience } },
      )
      if (action === 'cancel') return
      const given = isObject(content) ? content : {}
      const reason =
        typeof given.reason === 'string' && given.reason !== '' ? given.reason : undefined
      const approved = action === 'accept' && given.decision === 'approve'
      question.close({
        approved,
        by: 'an operator',
        principal: operator,
        ...(reason === undefined ? {} : { reason }),
      })
    } catch {
      // The client went away, refused, or the question was answered elsewhere.
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

class Question implements CancelListener {
  readonly report: QuestionReport
  readonly answered: Promise<Answer>
  readonly #closing = new AbortController()
  readonly #caller: Cancellation
  readonly #onClose: () => void
  #resolve!: (answer: Answer) => void

  constructor(report: QuestionReport, caller: Cancellation, onClose: () => void) {
    this.report = report
    this.#caller = caller
    this.#onClose = onClose
    this.answered = new Promise((resolve) => {
      this.#resolve = resolve
    })
    caller.listen(this)
  }

  get closed(): AbortSignal {
    return this.#closing.signal
  }

  onCancel(): void {
    this.close({ approved: false, by: 'the caller', reason: 'it left' })
  }

  close(answer: Answer): void {
    if (this.closed.aborted) return
    this.#caller.unlisten(this)
    this.#closing.abort()
    this.#resolve(answer)
    this.#onClose()
  }
}

function toReport(
  call: AskedCall,
  rule: string | undefined,
  times: Pick<QuestionReport, 'askedAt' | 'until'>,
): QuestionReport {
  const { id, server, method, name, params, principal, origin } = call
  return {
    id: questionId(call),
    call: id,
    principal: principal.id,
    issuer: principal.issuer,
    origin: origin.name === undefined ? origin.kind : `${origin.kind} ${origin.name}`,
    server,
    method,
    name,
    arguments: isObject(params.arguments) ? params.arguments : undefined,
    rule,
    ...times,
  }
}
