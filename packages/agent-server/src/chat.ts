import {
  isObject,
  type JsonObject,
  type MessageContext,
  type Origin,
  ProtocolError,
  type ToolResult,
} from '@mobius-mcp/protocol'
import type { Thread } from '@mobius-mcp/state'
import { type AgentDefinition, chatToolOf } from './agent-definition.ts'
import type { AgentsRuntime, Begun } from './agents-runtime.ts'
import { readAttachments } from './attachments.ts'
import { type ChatRequest, parseChat } from './chat-request.ts'
import { nameThread } from './seats.ts'
import { toPlain } from './to-plain.ts'
import type { Turn } from './turn.ts'
import type { TurnInput, TurnResult } from './turn-input.ts'

/** In the `_meta` of a chat's result: its thread. */
export const threadMeta = 'mobius-mcp.dev/thread'
/** In the `_meta` of a chat's result: its turn. */
export const turnMeta = 'mobius-mcp.dev/turn'
/** In the `_meta` of a chat's result: why the turn ended, an `EndReason`. */
export const endMeta = 'mobius-mcp.dev/end'
/** In the `_meta` of a chat's result: what it used up, `{ tokens, cost? }`. */
export const usageMeta = 'mobius-mcp.dev/usage'

/** Answers a call of an agent's chat tool. */
export async function chat(
  agents: AgentsRuntime,
  definition: AgentDefinition,
  call: { readonly args: JsonObject; readonly meta: JsonObject },
  context: MessageContext,
): Promise<ToolResult> {
  const { origin } = context.call
  refuseCircles(definition.name, origin, agents.maxDepth)
  const request = parseChat(call.args, call.meta, origin.kind)
  const thread = await openThread(agents, definition, request, context)
  const begun = await agents.inOrder(thread.id, () =>
    begin(agents, definition, { request, thread: thread.id }, context),
  )
  if ('result' in begun) return toResult(begun.result, origin)
  return request.isAsync
    ? accepted(begun.turn)
    : toResult(await waitFor(begun.turn, context), origin)
}

/** Begins a turn, or says it to the one that is under way. */
async function begin(
  agents: AgentsRuntime,
  definition: AgentDefinition,
  { request, thread }: { request: ChatRequest; thread: string },
  context: MessageContext,
): Promise<Begun> {
  const { principal, call: cause, caller } = context
  const content = [
    ...(request.prompt === '' ? [] : [{ type: 'text' as const, text: request.prompt }]),
    ...(await readAttachments(request.attachments, { caller, roots: agents.roots })),
  ]
  if (content.length === 0) {
    throw new ProtocolError(
      'INVALID_PARAMS',
      'Expected a prompt or an attachment, received neither',
    )
  }
  const busy = agents.busyTurn(thread)
  if (busy && request.whenBusy === 'reject') {
    throw new Error(
      `The thread ${thread} is busy: something is being done in it. Wait, or stop it.`,
    )
  }
  if (busy && request.whenBusy === 'steer' && (await busy.steer(content))) return { turn: busy }
  const input: TurnInput = {
    agent: definition.name,
    thread,
    principal,
    content,
    origin: cause.origin,
    depth: cause.depth,
    detached: request.isAsync,
  }
  const id = request.parent?.step ?? crypto.randomUUID()
  const client = request.isAsync ? undefined : context
  return await agents.begin(id, toPlain(input), { definition, cause, client })
}

/** An agent that is called by what it called would never come to an end. */
function refuseCircles(agent: string, origin: Origin, maxDepth: number): void {
  const chain = agentsIn(origin)
  const path = [...chain, agent].join(' -> ')
  if (chain.includes(agent)) {
    throw new ProtocolError(
      'CALL_LOOP',
      `${chatToolOf(agent)} was refused: the agents would call each other in a circle: ${path}.`,
    )
  }
  if (chain.length < maxDepth) return
  throw new ProtocolError(
    'CALL_LOOP',
    `${chatToolOf(agent)} was refused: at most ${maxDepth} agents may call one another in a chain: ${path}.`,
  )
}

/** The agents that led to a call, the outermost first. */
function agentsIn(origin: Origin): string[] {
  const names: string[] = []
  for (let each: Origin | undefined = origin; each; each = each.cause) {
    if (each.kind === 'agent' && each.name !== undefined) names.unshift(each.name)
  }
  return names
}

/** The thread that is named; else for a sub-agent a new one for each call, and for a client that of its session. */
async function openThread(
  agents: AgentsRuntime,
  { name: agent }: AgentDefinition,
  { thread: named, parent }: ChatRequest,
  context: MessageContext,
): Promise<Thread> {
  const { principal } = context
  const { threads } = agents.state
  const { root } = context.session
  const isPersons = context.call.origin.kind === 'client'
  if (named !== undefined) {
    const known = await threads.get(principal, named)
    if (known?.agent !== agent) throw noThread(named, agent, known)
    // What is said to an agent may come from anywhere: it reaches no conversation but those that it began.
    if (parent && known.parent !== parent.thread) throw noThread(named, agent, undefined)
    if (isPersons) agents.seats.of(root, principal, agent).move(named)
    return known
  }
  const seat = agents.seats.of(root, principal, agent)
  const id = parent ? nameThread('child', parent.step, agent) : isPersons ? seat.own : newThreadId()
  if (isPersons) seat.move(id)
  const parentThread = parent && (await threads.get(principal, parent.thread))
  const at = agents.clock.now()
  const thread = await threads.create({ id, principal, agent, parent: parentThread?.id, at })
  if (thread) return thread
  throw new ProtocolError('INTERNAL_ERROR', `The thread ${id} could not be made`)
}

function newThreadId(): string {
  return nameThread('new', crypto.randomUUID())
}

function noThread(id: string, agent: string, known: Thread | undefined): ProtocolError {
  const why = known
    ? `it is one with the agent "${known.agent}"; go on there with ${chatToolOf(known.agent)}`
    : 'leave "thread" out to begin a new one'
  return new ProtocolError(
    'INVALID_PARAMS',
    `There is no thread ${id} with the agent "${agent}": ${why}`,
  )
}

/** Waits for a turn; who does not want to wait any more, and was the last, stops it. */
async function waitFor(turn: Turn, context: MessageContext): Promise<TurnResult> {
  const leave = () => {
    turn.clients.delete(context)
    if (turn.clients.size > 0 || turn.input.detached) return
    turn.stop({ reason: 'cancelled', text: 'whoever asked for it took it back' })
  }
  const listener = { onCancel: leave }
  turn.clients.add(context)
  if (context.cancellation.cancelled) leave()
  else context.cancellation.listen(listener)
  try {
    return await turn.result
  } finally {
    turn.clients.delete(context)
    context.cancellation.unlisten(listener)
  }
}

function accepted({ id, thread }: Turn): ToolResult {
  const uri = `chat://threads/${thread.id}/progress`
  const text = `The agent is at work. What it does can be read, and followed, at ${uri}.`
  return {
    content: [
      { type: 'text', text },
      { type: 'resource_link', uri, name: 'progress', mimeType: 'application/json' },
    ],
    _meta: { [threadMeta]: thread.id, [turnMeta]: id },
  }
}

function toResult(result: TurnResult, origin: Origin): ToolResult {
  const { turn, thread, reason, output, tokens, cost } = result
  const content = [...result.content]
  if (origin.kind === 'agent') {
    const text = `[Thread ${thread}: to go on with this conversation, pass it as "thread".]`
    content.push({ type: 'text', text, annotations: { audience: ['assistant'] } })
  }
  const usage = cost === undefined ? { tokens } : { tokens, cost }
  return {
    // Blocks of a model or a tool: passed on as they are.
    content: content as unknown as ToolResult['content'],
    ...(isObject(output) ? { structuredContent: output } : {}),
    ...(reason === 'done' || reason === 'limit' ? {} : { isError: true }),
    _meta: { [threadMeta]: thread, [turnMeta]: turn, [endMeta]: reason, [usageMeta]: usage },
  }
}
