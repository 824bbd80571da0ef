import type { JsonObject, Origin } from '@mobius-mcp/protocol'
import type { Pattern } from './pattern.ts'

/** One condition on a member of a call's arguments or parameters. */
export interface ArgumentMatcher {
  /** The member's path, outermost first. */
  readonly path: readonly string[]
  readonly value: Pattern
}

/** A rule as it was understood. */
export interface Rule {
  /** As it was written. */
  readonly text: string
  /** `server` or `server/tool`. Never split: the names of both may hold slashes. */
  readonly target: Pattern
  /** The requests that it is about; absent for whatever uses the server, or its tool. */
  readonly method?: Pattern | undefined
  /** All of them must match. */
  readonly matchers: readonly ArgumentMatcher[]
}

/** What a rule looks at. */
export interface RuleSubject {
  readonly server: string
  readonly method: string
  /** The tool's or prompt's own name, or the resource's URI. */
  readonly name: string
  readonly params: JsonObject
}

/** A call, as far as it matters here. */
export interface CallLike extends RuleSubject {
  readonly origin: Origin
}
