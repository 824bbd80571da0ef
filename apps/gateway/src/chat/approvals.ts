import { isObject, type JsonObject, type Session } from '@mobius-mcp/protocol'
import type { QuestionReport } from '@mobius-mcp/server-meta'
import type { CommandClient } from '../attach.ts'
import { describeQuestion } from '../question-text.ts'
import type { UsedGateway } from '../use-gateway.ts'
import type { Conversation } from './conversation.ts'
import { callMeta } from './records.ts'
import type { Terminal } from './terminal.ts'

const openQuestions = 'question:///open'

/** Puts to the person at a terminal what needs an approval in their conversation. */
export class Approvals implements AsyncDisposable {
  readonly #conversation: Conversation
  readonly #terminal: Terminal
  /** Those that are being asked: aborted when somebody else answers. */
  readonly #asking = new Map<string, AbortController>()
  #session: Session | undefined

  constructor(conversation: Conversation, terminal: Terminal) {
    this.#conversation = conversation
    this.#terminal = terminal
  }

  /** From now on the person is asked. */
  async begin(gateway: UsedGateway): Promise<void> {
    const client: CommandClient = {
      capabilities: {},
      handler: {
        onMessage: ({ method }) => {
          if (method === 'notifications/resources/updated') this.#lookSoon()
          return {}
        },
      },
    }
    // The gateway's own user may approve; what the agent does is done as any client.
    this.#session = await gateway.open('meta', 'operator', client)
    await this.#session.request('resources/subscribe', { uri: openQuestions })
    this.#conversation.onThread = () => this.#lookSoon()
    await this.#look()
  }

  /** A turn has ended: what was asked in it is not to be asked any more. */
  async settle(): Promise<void> {
    await this.#look().catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#conversation.onThread = () => {}
    for (const asking of this.#asking.values()) asking.abort()
    await this.#session?.close()
  }

  #lookSoon(): void {
    // A gateway that has ended is noticed by what is said next.
    this.#look().catch(() => {})
  }

  async #look(): Promise<void> {
    const session = this.#session
    if (!session) return
    const { questions } = await callMeta(session, 'list_questions')
    const open = (Array.isArray(questions) ? questions : []).filter(isApproval)
    const ids = new Set(open.map(({ id }) => id))
    for (const [id, asking] of this.#asking) if (!ids.has(id)) asking.abort()
    for (const question of open) {
      const isOurs = this.#conversation.threads.has(question.thread ?? '')
      if (isOurs && !this.#asking.has(question.id)) void this.#ask(question, session)
    }
  }

  async #ask(question: QuestionReport, session: Session): Promise<void> {
    const asking = new AbortController()
    this.#asking.set(question.id, asking)
    const { signal } = asking
    const text = await this.#terminal.interview(async (ask) => {
      const typed = await ask(`? ${describeQuestion(question)}\n  Approve? [y/N] `, signal)
      if (signal.aborted) this.#terminal.say('  It was answered, or is not asked any more.')
      return typed
    })
    if (signal.aborted) return
    const decision = /^y(es)?$/i.test(text?.trim() ?? '') ? 'approve' : 'deny'
    // Somebody else may have been faster.
    await callMeta(session, 'answer_question', { id: question.id, decision }).catch(() => {})
  }
}

function isApproval(value: unknown): value is QuestionReport {
  const question = isObject(value) ? (value as JsonObject) : {}
  return question.kind === 'approval' && typeof question.id === 'string'
}
