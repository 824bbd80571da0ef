import type { Caller, Origin, Principal } from './call.ts'
import type { MessageHandler } from './session.ts'

/** Who acts, for work that no message started. */
export interface Actor {
  readonly principal: Principal
  readonly origin: Origin
}

/** What a server is given when it is built. */
export interface ServerEnvironment {
  /** A folder of its own, where it may keep files. */
  readonly folder: string
  /** Aborted when it is to end. */
  readonly closing: AbortSignal
  /** A `Caller` for work that no message started. */
  callerFor(actor: Actor): Caller
}

/** A server: a name and a factory. Not built until first used. */
export interface ServerDefinition {
  readonly name: string
  /** Who may name it: clients by publication (the default), agents only, or a hook's target only. */
  readonly visibility?: 'published' | 'agents' | 'hooks' | undefined
  /** One handler for each root session (the default), or one for all. */
  readonly instance?: 'session' | 'process' | undefined
  /** Where it is published with others, its tools and prompts have their own names, not `server__name`. */
  readonly plainNames?: boolean | undefined
  /** What it asks by `sampling/createMessage` is for the client's own model, whatever others there are. */
  readonly asksClient?: boolean | undefined
  create(environment: ServerEnvironment): MessageHandler | Promise<MessageHandler>
}
