import {
  type Clock,
  isProtocolError,
  type JsonObject,
  type MessageContext,
  type Principal,
  ProtocolError,
} from '@mobius-mcp/protocol'
import type { PrincipalName, Question, Questions } from '@mobius-mcp/state'

/** A question on its way. */
export interface InboxQuestion {
  /** The same again where the step that asks is run again: perhaps it has been answered meanwhile. */
  readonly id: string
  /** What would make it void by dying. */
  readonly asker: string
  readonly method: string
  readonly params: JsonObject
  readonly signal?: AbortSignal | undefined
  /** Clients that wait for the turn, who are asked too. */
  readonly clients: Iterable<MessageContext>
  /** True where another process goes on with it: the question stays open, and is asked again there. */
  isLetGo?(): boolean
}

export interface InboxOptions {
  readonly questions: Questions
  readonly thread: string
  readonly principal: Principal
  readonly clock: Clock
  onChange(): void
}

/** The questions of one thread: kept, shown to all who look on, and answered once by whoever is first. */
export class Inbox {
  readonly #options: InboxOptions
  readonly #waiting = new Map<string, (answer: JsonObject) => void>()

  constructor(options: InboxOptions) {
    this.#options = options
  }

  async open(): Promise<readonly Question[]> {
    const { questions, principal, thread: root } = this.#options
    return (await questions.list({ principal, root, state: 'open' })).entries
  }

  /** Resolves with the first answer. @throws ProtocolError `REQUEST_CANCELLED` where nobody waits any more. */
  async ask(asked: InboxQuestion): Promise<JsonObject> {
    const { questions, principal, thread: root, clock, onChange } = this.#options
    const { id, asker, method, params } = asked
    const kept = await questions.ask({
      id,
      principal: { id: principal.id, issuer: principal.issuer },
      root,
      asker,
      method,
      params,
      askedAt: clock.now(),
    })
    if (kept.answer) return kept.answer
    onChange()
    const settled = new AbortController()
    try {
      return await this.#wait(asked, settled.signal)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!asked.isLetGo?.()) await questions.void(id, { reason, at: clock.now() })
      throw error
    } finally {
      settled.abort()
      this.#waiting.delete(id)
      onChange()
    }
  }

  /** Resolves with whether this was the first answer to an open question of the thread. */
  async answer(id: string, value: JsonObject, by: PrincipalName): Promise<boolean> {
    const { questions, clock } = this.#options
    const isFirst = await questions.answer(id, { value, by, at: clock.now() })
    if (isFirst) this.#waiting.get(id)?.(value)
    return isFirst
  }

  /** Nobody here can answer. */
  async refuse(method: string, reason: string): Promise<never> {
    throw new ProtocolError(
      'METHOD_NOT_FOUND',
      `Method not found: ${method}. In this thread ${reason}.`,
    )
  }

  #wait(asked: InboxQuestion, settled: AbortSignal): Promise<JsonObject> {
    const { id, method, params, signal } = asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      const onAbort = () => reject(takenBack(method, signal?.reason))
      if (signal?.aborted) onAbort()
      signal?.addEventListener('abort', onAbort, { once: true, signal: settled })
      for (const client of asked.clients) {
        client.ask(method, params, settled).then(
          (answer) => void this.answer(id, answer, client.principal),
          // It cannot answer, or was told that somebody else did: others still may.
          () => {},
        )
      }
    })
  }
}

function takenBack(method: string, reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason
  const why = reason instanceof Error ? reason.message : String(reason ?? 'nobody waits any more')
  return new ProtocolError('REQUEST_CANCELLED', `${method} is void: ${why}`)
}
