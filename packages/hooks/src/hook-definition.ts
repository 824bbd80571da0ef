import type { JsonObject, Target } from '@mobius-mcp/protocol'

/** Whether a message is asked (or told), or answers what was asked. Whoever began it. */
export type HookDirection = 'request' | 'response'

/** Which messages of a point a hook is for: all that are given must fit. `*` stands for any text. */
export interface HookParams {
  /** The server that the message goes to or comes from, by its name inside. */
  readonly server?: string | undefined
  /** The tool's or prompt's own name, or the resource's URI. */
  readonly name?: string | undefined
  readonly direction?: HookDirection | undefined
  /** Narrows a point that stands for several methods. */
  readonly method?: string | undefined
  /** True: only answers that are errors. False: everything else. */
  readonly callOnError?: boolean | undefined
}

/** At this point, with these parameters, call this target. */
export interface HookDefinition {
  /** Names the hook in errors, traces and audit; stable, and its own in one configuration. */
  readonly id: string
  /** A JSON-RPC method, with `*` for any text. */
  readonly point: string
  readonly params?: HookParams | undefined
  readonly target: Target
  /** Whether it may change what it sees; it may by default. One that may not looks at the final value. */
  readonly mutate?: boolean | undefined
  /** Fixed arguments, handed to the target beside the message. */
  readonly with?: JsonObject | undefined
  /** Changing hooks of a higher priority run earlier; 0 by default, in the order of the list. */
  readonly priority?: number | undefined
  /** Milliseconds that it may take; 30,000 by default. */
  readonly timeout?: number | undefined
  /** What a failure stands for: too late, crashed, no such target, not an answer. `deny` by default. */
  readonly onError?: 'deny' | 'allow' | undefined
  /** False: kept, and not used. */
  readonly enabled?: boolean | undefined
  /** More conditions, in words that `matchIf` understands. */
  readonly if?: string | undefined
  /** Traces say that it changed something, and keep what to themselves. */
  readonly redact?: boolean | undefined
}
