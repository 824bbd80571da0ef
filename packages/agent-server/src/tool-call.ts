import { type FilePart, type TextPart, type ToolCallPart, toModelContent } from '@mobius-mcp/models'
import {
  type Caller,
  type CallResult,
  isObject,
  isProtocolError,
  type JsonObject,
  type Progress,
} from '@mobius-mcp/protocol'
import type { AgentTool } from './agent-tools.ts'
import type { ChatEvent } from './progress-log.ts'
import { parseWish, type ResourceWish, readResourceName, toReadResult } from './read-resource.ts'
import { isTooLarge, shorten } from './spill.ts'
import { toPlain } from './to-plain.ts'

/** Carries an event of a sub-agent's turn in the progress of its call. */
export const eventMeta = 'mobius-mcp.dev/event'
/** Carries the thread and step that a sub-agent is called from. */
export const parentMeta = 'mobius-mcp.dev/parent'

/** What a call came to, as the journal keeps it. */
export type CallOutcome = {
  readonly content: readonly (TextPart | FilePart)[]
  readonly isError?: boolean | undefined
  /** Where all of it can be read. */
  readonly whole?: string | undefined
  /** What is to be shown to a person as it is: `ui://` resources. */
  readonly shown?: readonly JsonObject[] | undefined
}

/** What calls are made with. */
export interface ToolCalls {
  readonly caller: Caller
  readonly thread: string
  /** Names the step: the turn of a sub-agent is named after it. */
  readonly step: string
  /** Records, before it is sent, that a call may have been made. */
  onSend(tool: AgentTool): void | Promise<void>
  readonly limit: number
  /** The servers whose resources may be read. */
  readonly servers: ReadonlySet<string>
  tell(event: ChatEvent): void
  /** Keeps a result that is too large, and gives the URI by which it can be read. */
  spill(result: CallResult): Promise<string>
  /** Reads a resource of the thread itself; `undefined` where it is none. */
  readOwn(uri: string): Promise<JsonObject | undefined>
}

/** Makes a call. Whatever goes wrong is an outcome that the model is told of. */
export async function makeCall(
  call: ToolCallPart,
  tool: AgentTool | undefined,
  calls: ToolCalls,
): Promise<CallOutcome> {
  if (call.invalid) {
    const { reason, text } = call.invalid
    return failure(
      `The call was not made: its arguments are no JSON object. ${reason} Received: ${text.slice(0, 500)}`,
    )
  }
  try {
    if (call.name === readResourceName && !tool) return await readResource(call.arguments, calls)
    if (!tool)
      return failure(`The call was not made: there is no tool ${JSON.stringify(call.name)}.`)
    return await toOutcome(await request(call, tool, calls), calls)
  } catch (error) {
    return failure(`${call.name} failed: ${messageOf(error)}`)
  }
}

/** An outcome that says what went wrong. */
export function failure(text: string): CallOutcome {
  return { content: [{ type: 'text', text }], isError: true }
}

async function request(
  call: ToolCallPart,
  tool: AgentTool,
  { caller, thread, step, onSend, tell }: ToolCalls,
): Promise<CallResult> {
  const params: JsonObject = { name: tool.tool, arguments: call.arguments }
  if (tool.agent !== undefined) params._meta = { [parentMeta]: { thread, step } }
  const result = await caller.request(tool.server, 'tools/call', params, {
    step,
    onSend: () => onSend(tool),
    onProgress: (progress) => tell(toEvent(call.id, progress)),
  })
  const content: JsonObject[] = Array.isArray(result.content) ? result.content : []
  if (content.length > 0 || result.structuredContent === undefined) return { ...result, content }
  // A tool need not repeat as text what it structured, and a model is shown texts.
  return { ...result, content: [{ type: 'text', text: JSON.stringify(result.structuredContent) }] }
}

function toEvent(id: string, { progress, total, message, _meta }: Progress): ChatEvent {
  const nested = isObject(_meta) ? _meta[eventMeta] : undefined
  if (isObject(nested)) return { ...nested, type: 'tool-progress', id }
  return toPlain({ type: 'tool-progress', id, progress, total, message })
}

async function toOutcome(result: CallResult, calls: ToolCalls): Promise<CallOutcome> {
  const isLarge = isTooLarge(result, calls.limit)
  const whole = isLarge ? await calls.spill(result) : undefined
  const kept = whole === undefined ? result : shorten(result, whole, calls.limit)
  const shown = result.content.filter(
    ({ type, resource }) =>
      type === 'resource' && isObject(resource) && String(resource.uri).startsWith('ui://'),
  )
  return toPlain({
    content: toModelContent(kept),
    isError: result.isError === true ? true : undefined,
    whole,
    shown: shown.length > 0 ? shown : undefined,
  })
}

async function readResource(args: JsonObject, calls: ToolCalls): Promise<CallOutcome> {
  const wish = parseWish(args)
  if (typeof wish === 'string') return failure(`The call was not made. ${wish}`)
  const own = await calls.readOwn(wish.uri)
  const read = own ?? (await readOutside(wish, calls))
  if (typeof read === 'string') return failure(read)
  return toPlain({ content: toModelContent(toReadResult(read, wish, calls.limit)) })
}

/** From the server that is named, or from whichever has it. */
async function readOutside(
  { uri, server }: ResourceWish,
  { caller, servers }: ToolCalls,
): Promise<JsonObject | string> {
  const names = [...servers].join(', ') || 'none'
  if (server !== undefined && !servers.has(server)) {
    return `There is no server ${JSON.stringify(server)} here whose resources may be read. There are: ${names}.`
  }
  const reasons: string[] = []
  for (const each of server === undefined ? servers : [server]) {
    try {
      return await caller.request(each, 'resources/read', { uri })
    } catch (error) {
      reasons.push(`${each}: ${messageOf(error)}`)
    }
  }
  return `The resource ${uri} could not be read. ${reasons.join('; ') || `Servers: ${names}.`}`
}

function messageOf(error: unknown): string {
  if (isProtocolError(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}
