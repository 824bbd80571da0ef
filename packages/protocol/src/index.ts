/**
 * What it takes to be an MCP server or client: messages, sessions, wires, `defineServer`.
 *
 * @packageDocumentation
 */

// Messages
export type {
  ErrorMessage,
  ErrorObject,
  JsonObject,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResponseMessage,
  ResultMessage,
} from './message.ts'
export { isNotification, isRequest, isResponse } from './message.ts'
export { isObject, isRequestId, parseMessage, toMessage } from './parse-message.ts'

// Errors
export type { ErrorCode, ProtocolErrorOptions } from './errors.ts'
export { errorNumbers, isProtocolError, ProtocolError, toErrorObject } from './errors.ts'
export type { PendingLogin } from './auth-needed.ts'
export { AuthNeededError, isAuthNeeded } from './auth-needed.ts'

// Calls
export type {
  Caller,
  CallId,
  CallInfo,
  CallOptions,
  CallResult,
  Entry,
  ListKind,
  Listing,
  Origin,
  OriginKind,
  Principal,
  Progress,
  Target,
  Timeouts,
} from './call.ts'
export { localPrincipal } from './call.ts'
export { createCallId } from './call-id.ts'
export { refusingCaller } from './refusing-caller.ts'

// Being a server
export type { CallScope, MessageContext, MessageHandler } from './session.ts'
export type { Actor, ServerDefinition, ServerEnvironment } from './server-definition.ts'
export type { ChangedList, Parts, ServerOptions, ServerParts } from './server/define-server.ts'
export { defineServer } from './server/define-server.ts'
export type {
  StructuredReturn,
  Tool,
  ToolOptions,
  ToolResult,
  ToolReturn,
  ToolWithOutput,
  ToolWithoutOutput,
} from './server/tool.ts'
export { tool } from './server/tool.ts'
export { parseLoggingLevel, ToolContext } from './server/tool-context.ts'
export type { Prompt, PromptArgument, PromptReturn } from './server/prompt.ts'
export type {
  Complete,
  Resource,
  ResourceReturn,
  ResourceTemplate,
} from './server/resource.ts'
export type { TemplateMatcher } from './server/template-matcher.ts'
export { createTemplateMatcher } from './server/template-matcher.ts'
export { page } from './server/paging.ts'
export type {
  JsonSchemaConverter,
  Schema,
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
} from './server/schema.ts'
export { toJsonSchema, uncheckedSchema, withJsonSchema } from './server/schema.ts'

// Being a client
export type { InitializeOptions } from './initialize.ts'
export { initialize, latestLegacyVersion, legacyVersions, negotiateVersion } from './initialize.ts'
export type { DrainOptions, ListMethod } from './drain-list.ts'
export { drainList, listMethods } from './drain-list.ts'
export { checkClientCapability } from './client-capabilities.ts'

// Sessions
export type {
  Peer,
  PendingRequest,
  RequestOptions,
  Session,
  SessionKind,
  SessionMemory,
} from './session.ts'
export type { MessageSource, Outlet } from './incoming.ts'
export type { SessionOptions } from './message-session.ts'
export { MessageSession } from './message-session.ts'
export { openSession } from './open-session.ts'
export type { Crossing, InProcessOptions } from './in-process.ts'
export { openInProcess } from './in-process.ts'
export { defaultTimeouts } from './pending.ts'

// Wires
export type { MessageExtra, Wire, WireSendOptions } from './wire.ts'
export { createWirePair } from './wire-pair.ts'
export { openRelay } from './relay.ts'

// Time and cancellation
export type { CancelListener } from './cancellation.ts'
export { Cancellation } from './cancellation.ts'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { Timed } from './deadlines.ts'
export { Deadlines, deadlinesOf } from './deadlines.ts'
export type { Linked } from './linked-set.ts'
export { LinkedSet } from './linked-set.ts'
