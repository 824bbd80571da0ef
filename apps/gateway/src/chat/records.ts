import { cursorMeta, moreMeta } from '@mobius-mcp/agent-server'
import { type CallResult, isObject, type JsonObject, type Session } from '@mobius-mcp/protocol'
import type { AgentReport } from '@mobius-mcp/server-meta'
import { showText } from '@mobius-mcp/telemetry'
import type { UsedGateway } from '../use-gateway.ts'
import { UserError } from '../user-error.ts'

/** What is kept of a conversation. */
export interface ChatRecord extends JsonObject {
  readonly id: string
  readonly agent: string
  readonly title: string
  /** The sequence of its last item. */
  readonly last: number
}

/** Uses a tool of the meta server. @throws UserError with what it says where it fails. */
export async function callMeta(
  session: Session,
  name: string,
  args: JsonObject = {},
): Promise<JsonObject> {
  const params = { name, arguments: args }
  const result = (await session.request('tools/call', params)) as CallResult
  if (result.isError !== true && isObject(result.structuredContent)) return result.structuredContent
  throw new UserError(showText(result.content.map(({ text }) => String(text)).join(' ')), 1)
}

/** Talks to the meta server as a client. */
export async function withMeta<T>(
  gateway: UsedGateway,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await gateway.open('meta', 'client')
  try {
    return await use(session)
  } finally {
    await session.close()
  }
}

export async function listAgents(gateway: UsedGateway): Promise<readonly AgentReport[]> {
  const { agents } = await withMeta(gateway, (session) => callMeta(session, 'list_agents'))
  // The meta server has checked it by its own schema.
  return agents as unknown as readonly AgentReport[]
}

/**
 * Reads what is kept of a thread; any agent's server knows it.
 *
 * @throws UserError where there is no such thread.
 */
export async function readRecord(
  gateway: UsedGateway,
  agents: readonly AgentReport[],
  thread: string,
): Promise<ChatRecord> {
  return await withAgents(gateway, agents, (session) => readThread(session, thread))
}

/** Talks to whichever agent's server there is. */
export async function withAgents<T>(
  gateway: UsedGateway,
  [first]: readonly AgentReport[],
  use: (session: Session) => Promise<T>,
): Promise<T> {
  if (!first) throw new UserError('There is no agent here, and so no conversation can be read.', 1)
  const session = await gateway.open(first.name, 'client')
  try {
    return await use(session)
  } finally {
    await session.close()
  }
}

/** @throws UserError where there is no such thread. */
export async function readThread(session: Session, thread: string): Promise<ChatRecord> {
  try {
    const { contents } = await read(session, uriOf(thread))
    const [record] = contents
    // Only an agent's server writes it.
    if (record) return record as ChatRecord
  } catch {
    // It says that there is no such resource.
  }
  throw new UserError(
    `You have no thread ${JSON.stringify(showText(thread, 80))}. \`mobius threads\` lists those that you have.`,
    1,
  )
}

/** The items of a thread, those after a sequence, in their order. */
export async function* readItems(
  session: Session,
  thread: string,
  after = 0,
): AsyncGenerator<JsonObject> {
  let cursor = String(after)
  for (;;) {
    const { contents, _meta } = await read(session, `${uriOf(thread)}/history?after=${cursor}`)
    yield* contents
    if (_meta[moreMeta] !== true) return
    cursor = String(_meta[cursorMeta])
  }
}

function uriOf(thread: string): string {
  return `chat://threads/${encodeURIComponent(thread)}`
}

async function read(
  session: Session,
  uri: string,
): Promise<{ contents: JsonObject[]; _meta: JsonObject }> {
  const { contents, _meta } = await session.request('resources/read', { uri })
  const texts = Array.isArray(contents) ? contents.filter(isObject) : []
  return {
    contents: texts.map(({ text }) => JSON.parse(String(text)) as JsonObject),
    _meta: isObject(_meta) ? _meta : {},
  }
}
