import type { Hooks, HookTrace } from '@mobius-mcp/hooks'
import type {
  Caller,
  CallInfo,
  Cancellation,
  Clock,
  Crossing,
  JsonObject,
  MessageContext,
  Origin,
  Principal,
  ServerDefinition,
  Session,
  Timeouts,
  Wire,
} from '@mobius-mcp/protocol'
import type { Catalog } from '@mobius-mcp/state'

/** How far a connection to a server is shared. A shared one is offered no elicitation, sampling or roots. */
export type Sharing = 'session' | 'principal' | 'process'

/** A server that lives elsewhere. What `connection` holds is between configuration and `connect`. */
export interface ExternalServer {
  readonly name: string
  /** Changes whenever anything in the server's resolved configuration does. Never shown. */
  readonly identity: string
  readonly connection: unknown
  /** `session` by default. */
  readonly sharing?: Sharing | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Limits of single tools, which go before the server's. */
  readonly toolTimeouts?: Readonly<Record<string, Partial<Timeouts>>> | undefined
  /** A connection that was not used for so many milliseconds is closed; 30 minutes by default. */
  readonly idleTimeout?: number | undefined
  /** How many calls it carries out at once, over all connections; those that come later wait, in order. No limit by default. */
  readonly maxInFlight?: number | undefined
  /** Outside, its tools and prompts have their own names, not `server__name`. */
  readonly plainNames?: boolean | undefined
  /** Kept, listed, and not used. */
  readonly disabled?: boolean | undefined
}

/** What one session sees of all that is published. Hidden means not callable. */
export interface View {
  /** References: `server`, `server/tool`, `server/tool:alias`, with `*`; `!` excludes. */
  readonly refs: readonly string[]
  /** More references, all of which only narrow: what these do not let through is hidden too. */
  readonly within?: readonly string[] | undefined
  /** Other descriptions, by `server/tool`. */
  readonly describe?: Readonly<Record<string, string>> | undefined
}

/** For whom a view is chosen: a message, or a session that is to be told of changes. */
export type ViewSubject = Pick<MessageContext, 'session' | 'principal'>

/** One view for everybody, or one for whoever asks. Give the same object for the same view: it is compiled once. */
export type ViewSource = View | ((subject: ViewSubject) => View)

/** A configuration, as far as this package is concerned. Immutable. */
export interface Snapshot {
  readonly servers: readonly ExternalServer[]
  /** Servers of this process that come and go with the configuration. The same object is the same server. */
  readonly builtIn?: readonly ServerDefinition[] | undefined
  /** The service's own by default. */
  readonly hooks?: Hooks | undefined
  /** The service's own by default. */
  readonly authorize?: Authorize | undefined
  /**
   * Answers what servers ask a model (`sampling/createMessage`), in place of the client whose call it
   * is. Servers are then told that they may ask, whatever the client can do.
   */
  readonly sample?: Sample | undefined
  /** How hooks that had an effect are shown, beside `_meta["mobius-mcp.dev/hooks"]`. */
  readonly hookTrace?: HookTraceOptions | undefined
}

/** What a server asks a model. */
export interface SamplingRequest {
  readonly server: string
  /** The params of `sampling/createMessage`. */
  readonly params: JsonObject
  /** Its calls are children of the call in which the server asks. */
  readonly caller: Caller
  /** Aborted when the server does not want it any more. */
  readonly signal: AbortSignal | undefined
}

/** Answers with a result of `sampling/createMessage`. */
export type Sample = (request: SamplingRequest) => Promise<JsonObject>

/** More ways to show in a result what hooks did. */
export interface HookTraceOptions {
  /** As a text of a tool's content, for models and people. */
  readonly text?: boolean | undefined
  /** As nanobot does it: `_meta["ai.nanobot.hooks/mutations"]`. */
  readonly nanobot?: boolean | undefined
}

/** What `connect` is told beside the server. */
export interface ConnectEnvironment {
  readonly principal: Principal
  /** Aborted when the connection is not wanted any more. */
  readonly signal: AbortSignal
  /** A line that the server wrote beside the protocol, or the transport's own remark. */
  log(line: string): void
}

/** Makes one attempt to reach a server, and gives a wire that is not started yet. */
export type Connect = (server: ExternalServer, environment: ConnectEnvironment) => Promise<Wire>

/** A call, as rules and observers see it. */
export interface CallView extends CallInfo {
  readonly server: string
  readonly method: string
  /** The tool's or prompt's own name, or the resource's URI; empty where the method has none. */
  readonly name: string
  readonly params: JsonObject
  readonly principal: Principal
  readonly root: Session
  /** The step of a durable run that makes it, the same when the step is run again. */
  readonly step?: string | undefined
}

/** What the rules say about a call, and which of them said it. */
export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly rule?: string | undefined
  /** Why, as a person reads it: the rule's reason, or that of a hook that wants to have it asked. */
  readonly reason?: string | undefined
}

/** Decides whether a call may go ahead. Answer at once where you can: this runs on every call. */
export type Authorize = (call: CallView) => Decision | Promise<Decision>

/** A call that waits for somebody's yes. */
export interface ApprovalRequest {
  readonly call: CallView
  /** Why it is asked: the rule, or the hook's reason. */
  readonly decision: Decision
  /** Cancelled when whoever made the call does not want it any more: the question is void. */
  readonly cancellation: Cancellation
}

/** What came of asking. */
export interface Approval {
  readonly approved: boolean
  /** Who said so. */
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

/** Asks whoever may approve. */
export type Approve = (request: ApprovalRequest) => Promise<Approval>

/** What happened to one call. Version 1. */
export interface CallEvent {
  readonly version: 1
  readonly id: string
  readonly parent?: string | undefined
  readonly root: string
  readonly origin: Origin
  readonly depth: number
  readonly principal: string
  /** Who vouches for the principal; absent for the machine's own user. */
  readonly issuer?: string | undefined
  readonly server: string
  readonly method: string
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly milliseconds: number
  /** `failed` is a tool's own failure; `error` one of the protocol. */
  readonly outcome: 'ok' | 'failed' | 'error' | 'denied' | 'cancelled'
  readonly error?: { readonly code: number; readonly message: string } | undefined
  /** The rule that decided, where there was one. */
  readonly rule?: string | undefined
  /** What hooks did, in order, where there were any. */
  readonly hooks?: readonly HookTrace[] | undefined
}

/** Sees every call when it has ended. Must not throw and must not wait. */
export type Observe = (event: CallEvent) => void

export interface ToolsServiceOptions {
  /** Reaches servers that live elsewhere; without it there are built-in ones only. */
  connect?: Connect | undefined
  /** Everything is allowed by default. */
  authorize?: Authorize | undefined
  /** Nobody is there to approve by default. */
  approve?: Approve | undefined
  observe?: Observe | undefined
  /** Of configurations that have none of their own. */
  hooks?: Hooks | undefined
  /** On whose behalf hooks make their calls: whoever configured them. The machine's own user by default. */
  hookPrincipal?: Principal | undefined
  /** What servers offered when last seen; kept in memory by default. */
  catalog?: Catalog | undefined
  clock?: Clock | undefined
  /** Who we say we are, to clients and, on shared connections, to servers. */
  info?: { readonly name: string; readonly version: string; readonly title?: string } | undefined
  /** How long a list waits for servers that are not known yet, in milliseconds; 5,000 by default. */
  listTimeout?: number | undefined
  /** How long a server may take to start and shake hands, in milliseconds; 60,000 by default. */
  startTimeout?: number | undefined
  /** Limits of every server that has none of its own. */
  timeouts?: Partial<Timeouts> | undefined
  /** The longest chain of calls; 16 by default. */
  maxDepth?: number | undefined
  /** How values cross to built-in servers; `reference` by default, `frozen` in tests and `dev`. */
  crossing?: Crossing | undefined
  /** Folder under which each built-in server may have its own; the current one by default. */
  folder?: string | undefined
  /** Told of what is survived: noise on a server's stdout, late answers, broken lists. */
  onLog?: ((server: string, line: string) => void) | undefined
}
