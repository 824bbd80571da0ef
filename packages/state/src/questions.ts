import type { JsonObject } from '@mobius-mcp/protocol'
import type { Page } from './page.ts'
import type { PrincipalName } from './principal-name.ts'

export type QuestionState = 'open' | 'answered' | 'void'

/** Something that somebody has to say before work goes on. */
export interface Question {
  readonly id: string
  /** Who may answer it, besides operators. */
  readonly principal: PrincipalName
  /** The thread or client session whose viewers see it. */
  readonly root: string
  /**
   * What asks, and would make it void by dying: a run for what survives, a connection or a process
   * for what does not.
   */
  readonly asker: string
  /** What was asked, as a message: `elicitation/create` and its like, with its params. */
  readonly method: string
  readonly params: JsonObject
  readonly state: QuestionState
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** The first answer. */
  readonly answer?: JsonObject | undefined
  readonly answeredBy?: PrincipalName | undefined
  /** Why it is void. */
  readonly reason?: string | undefined
  /** When it was answered, or became void. */
  readonly closedAt?: number | undefined
}

export type NewQuestion = Pick<
  Question,
  'id' | 'principal' | 'root' | 'asker' | 'method' | 'params' | 'askedAt'
>

/** Which questions. */
export interface QuestionQuery {
  readonly principal?: PrincipalName | undefined
  readonly root?: string | undefined
  readonly state?: QuestionState | undefined
  readonly cursor?: string | undefined
  /** 100 by default. */
  readonly limit?: number | undefined
}

/** What waits for people. A question is open until it is answered, once, or nobody waits any more. */
export interface Questions {
  /** Keeps it, unless it is there. Resolves with what is: perhaps it has been answered meanwhile. */
  ask(question: NewQuestion): Promise<Question>
  get(id: string): Promise<Question | undefined>
  /** The latest first. @throws StateError `CURSOR_INVALID`. */
  list(query?: QuestionQuery): Promise<Page<Question>>
  /** The first answer counts. Resolves with whether this is it. Who may answer is not looked at. */
  answer(id: string, answer: { value: JsonObject; by: PrincipalName; at: number }): Promise<boolean>
  /** Nobody waits any more. Resolves with whether it was open. */
  void(id: string, closing: { reason: string; at: number }): Promise<boolean>
  /** Forgets what was answered or became void before. Resolves with how many. */
  forget(before: number): Promise<number>
  /** What asked is gone. Resolves with the questions that became void by it. */
  voidAsker(asker: string, closing: { reason: string; at: number }): Promise<readonly Question[]>
}
