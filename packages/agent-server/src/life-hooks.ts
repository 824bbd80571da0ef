import type { HookMessage, Hooks } from '@mobius-mcp/hooks'
import {
  type Caller,
  type CallInfo,
  type Cancellation,
  isObject,
  type JsonObject,
  type MessageContext,
  type Principal,
  type Session,
} from '@mobius-mcp/protocol'
import { toPlain } from './to-plain.ts'

/** A point in the life of a turn. */
export type LifePoint = 'session' | 'config' | 'request' | 'response' | 'PreCompact' | 'PostCompact'

/** What hooks made of what they saw, or why they said no. */
export type LifeOutcome<T> =
  | { readonly blocked: string }
  | { readonly blocked?: undefined; readonly value: T }

/** What fires hooks: the agent that they look at, and on whose behalf they make their calls. */
export interface LifeHooksOptions {
  readonly hooks: Hooks | undefined
  readonly principal: Principal
  callerFor(context: HookCallContext): Caller
}

/** The context of a hook's call: the authority of whoever configured the hook, in its place below the turn. */
export type HookCallContext = MessageContext & { readonly origin: CallInfo['origin'] }

/** What is hooked. */
export interface LifeSubject {
  readonly agent: string
  readonly session: Session
  readonly call: CallInfo
  readonly cancellation: Cancellation
}

/**
 * Fires the hooks of a point. They see `params`, or in `response` what stands in `result`, and may
 * change its members or say no. Where there are none, nothing is copied and nothing waits.
 */
export async function fireHooks<T extends JsonObject>(
  options: LifeHooksOptions,
  subject: LifeSubject,
  point: LifePoint,
  value: T,
): Promise<LifeOutcome<T>> {
  const direction = point === 'response' ? 'response' : 'request'
  const chain = options.hooks?.for(subject.agent, point, direction)
  if (!chain || chain.empty) return { value }
  const seen = toPlain(value)
  const message: HookMessage =
    direction === 'response' ? { method: point, result: seen } : { method: point, params: seen }
  const { origin } = subject.call
  const outcome = await chain.run(
    {
      name: subject.agent,
      message,
      origin,
      call: { id: subject.call.id, root: subject.session.id },
    },
    ({ hook, target, input, cancellation }) => {
      const context = new HookContext(options, subject, hook, cancellation)
      return options.callerFor(context).call(target, input)
    },
  )
  if (outcome.decision === 'block' || outcome.decision === 'ask') {
    const { by } = outcome
    return { blocked: by?.reason ?? by?.failure ?? `a hook of the point ${point} said no` }
  }
  if (outcome.message === message) return { value }
  const left = direction === 'response' ? outcome.message.result : outcome.message.params
  // What a hook makes of a value is data like any other: only what it has is taken.
  return { value: isObject(left) ? ({ ...value, ...left } as T) : value }
}

class HookContext implements MessageContext {
  readonly call: CallInfo
  readonly cancellation: Cancellation
  readonly #options: LifeHooksOptions
  readonly #subject: LifeSubject

  constructor(
    options: LifeHooksOptions,
    subject: LifeSubject,
    hook: string,
    cancellation: Cancellation,
  ) {
    this.#options = options
    this.#subject = subject
    this.cancellation = cancellation
    const origin = { kind: 'hook', name: hook, cause: subject.call.origin }
    this.call = Object.create(subject.call, {
      origin: { value: origin, enumerable: true },
    }) as CallInfo
  }

  get origin(): CallInfo['origin'] {
    return this.call.origin
  }

  get session(): Session {
    return this.#subject.session
  }

  get principal(): Principal {
    return this.#options.principal
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    return this.#options.callerFor(this)
  }

  progress(): void {
    // A hook's progress is not that of the turn.
  }

  notify(): void {
    // Nor are its log lines.
  }

  ask(method: string, params: JsonObject): Promise<JsonObject> {
    return this.session.request(method, params)
  }
}
