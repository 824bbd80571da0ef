import type { JsonObject } from './message.ts'

/** Who is calling. Comes with each message, never with a connection. */
export interface Principal {
  /** Stable within the issuer, e.g. a subject or a key's name. */
  readonly id: string
  /** Who vouches for the id; absent for the machine's own user. */
  readonly issuer?: string
  readonly scopes: readonly string[]
}

/** The machine's own user, on a loopback connection or a pipe. */
export const localPrincipal: Principal = { id: 'local', scopes: [] }

/** What made a call. */
export type OriginKind = 'client' | 'agent' | 'hook' | 'workflow' | 'task' | 'script'

/** What made a call, and what led there: the innermost first. */
export interface Origin {
  readonly kind: OriginKind
  /** The agent's, hook's, workflow's … name; for a client what it calls itself. */
  readonly name?: string
  readonly cause?: Origin
}

/** Identifies a call in traces and audit; unique in one state folder. */
export type CallId = string

/** A call's place in the tree of calls. */
export interface CallInfo {
  readonly id: CallId
  readonly parent?: CallId | undefined
  readonly origin: Origin
  /** 0 for a client's own call; one more for each call that a call makes. */
  readonly depth: number
}

/** How far something has come. MCP 2025-11-25, progress. */
export interface Progress {
  /** Grows with each report. */
  progress: number
  total?: number | undefined
  message?: string | undefined
  [member: string]: unknown
}

/** How long a request may take, in milliseconds. `Infinity` switches a limit off. */
export interface Timeouts {
  /** Until the answer, or the first sign of life. */
  request: number
  /** Between two signs of life (progress, or anything else said about the request). */
  idle: number
  /** In all, whatever happens meanwhile, but for the time in which a question is open. */
  total: number
}

/** A tool of a server. As text, in configuration only, `server/tool`. */
export interface Target {
  readonly server: string
  readonly tool: string
}

/** What can be listed. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** One listed thing, as its server describes it, and whose it is. */
export interface Entry {
  readonly server: string
  /** The server's own name for it: a tool's or prompt's name, a resource's URI, a template's text. */
  readonly name: string
  /** The name outside, where a list renames. */
  readonly alias?: string | undefined
  readonly value: JsonObject
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeouts?: Partial<Timeouts>
  /**
   * Names the step of a durable run that makes the call: the same when the step is run again, so that an
   * approval of it counts that came before.
   */
  readonly step?: string
  /** Called when hooks, rules and people have let it through. It is sent when this has resolved. */
  onSend?(): void | Promise<void>
  onProgress?(progress: Progress): void
}

/** What a tool answered: at least `content`, perhaps `structuredContent` and `isError`. */
export interface CallResult extends JsonObject {
  content: JsonObject[]
}

/** A list, and what is missing from it: a failed server never empties a list. */
export interface Listing {
  readonly entries: Entry[]
  readonly missing: { readonly server: string; readonly reason: string }[]
}

/**
 * The only way anything uses anything. Whoever receives one can use every tool, resource and
 * prompt that its policy allows, inside or outside, and cannot tell which.
 */
export interface Caller {
  /** Sends any MCP request to a server. Throws what the server answers as an error. */
  request(
    server: string,
    method: string,
    params: JsonObject,
    options?: CallOptions,
  ): Promise<JsonObject>
  /** Calls a tool. A tool that fails is a result with `isError`, not an exception. */
  call(target: Target, args: JsonObject, options?: CallOptions): Promise<CallResult>
  /** Lists what the references (`server`, `server/tool`, globs) stand for. */
  list(kind: ListKind, refs: readonly string[], options?: CallOptions): Promise<Listing>
}
