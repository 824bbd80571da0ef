import type { HookTrace } from '@mobius-mcp/hooks'
import {
  type Cancellation,
  createCallId,
  type MessageContext,
  type Origin,
  type Principal,
} from '@mobius-mcp/protocol'
import type { CallNode } from './call.ts'
import type { Configuration } from './configuration.ts'
import { noHops } from './hops.ts'
import type { Root } from './root.ts'

/** What a message belongs to: a call, or something that a client or a server says outside any. */
export interface HookCause {
  readonly configuration: Configuration
  readonly id: string
  readonly origin: Origin
  readonly depth: number
  readonly hops: readonly string[]
  readonly principal: Principal
  /** Cancelled when nobody wants the message any more. */
  readonly cancellation?: Cancellation | undefined
  /** The same, of a caller that has one of its own. */
  readonly signal?: AbortSignal | undefined
  /** Keeps what hooks did, where there is an account of it. */
  addTrace?(trace: readonly HookTrace[]): void
}

/** A message that is no call, as the cause of what its hooks call. */
export function causeOf(context: MessageContext, configuration: Configuration): HookCause {
  const { id, origin, depth, hops = noHops }: CallNode = context.call
  const { principal, cancellation } = context
  return { configuration, id, origin, depth, hops, principal, cancellation }
}

/** Something that is done for a session without a message of its own. */
export function rootCause(root: Root, configuration: Configuration): HookCause {
  const { principal, session } = root
  const name = session.peer?.info.name
  const origin: Origin = typeof name === 'string' ? { kind: 'client', name } : { kind: 'client' }
  return { configuration, id: createCallId(), origin, depth: 0, hops: noHops, principal }
}

/** True where a hook is at work in what led to a message. */
export function isHooks(origin: Origin): boolean {
  for (let each: Origin | undefined = origin; each; each = each.cause) {
    if (each.kind === 'hook') return true
  }
  return false
}
