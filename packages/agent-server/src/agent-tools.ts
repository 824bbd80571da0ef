import type { ModelTool } from '@mobius-mcp/models'
import { type Caller, type Entry, isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { AgentDefinition } from './agent-definition.ts'
import { readResourceName, readResourceTool } from './read-resource.ts'

/** Marks a tool as the chat tool of an agent, with the agent's name. */
export const agentMark = 'mobius-mcp.dev/agent'
/** In the `_meta` of a chat tool: what a person may begin with. */
export const startersMeta = 'mobius-mcp.dev/starters'

/** A tool that an agent may call. */
export interface AgentTool {
  /** By which the model knows it. */
  readonly name: string
  readonly server: string
  /** The server's own name for it. */
  readonly tool: string
  /** Calls of it may go side by side. */
  readonly readOnly: boolean
  /** It may be called again where nobody knows whether it was done. */
  readonly idempotent: boolean
  /** The agent that one chats with by it. */
  readonly agent: string | undefined
  readonly model: ModelTool
}

/** What an agent may call, and whose tools could not be listed. */
export interface AgentTools {
  readonly byName: ReadonlyMap<string, AgentTool>
  /** For the model, always in the same order. */
  readonly models: readonly ModelTool[]
  /** The servers whose resources it may read. */
  readonly servers: ReadonlySet<string>
  readonly missing: readonly { readonly server: string; readonly reason: string }[]
}

/** Lists what an agent's references stand for. */
export async function listTools(caller: Caller, definition: AgentDefinition): Promise<AgentTools> {
  const { tools: refs = [], resources = [] } = definition
  const { entries, missing } =
    refs.length > 0 ? await caller.list('tools', refs) : { entries: [], missing: [] }
  const byName = new Map<string, AgentTool>()
  for (const entry of entries) {
    const tool = toTool(entry, nameOf(entry, entries))
    byName.set(tool.name, tool)
  }
  const servers = new Set(entries.map(({ server }) => server))
  for (const ref of resources) servers.add(ref.split('/')[0] ?? ref)
  return {
    byName,
    models: [...[...byName.values()].map(({ model }) => model), readResourceTool],
    servers,
    missing,
  }
}

/** Its own name, unless another tool has the same. */
function nameOf(entry: Entry, entries: readonly Entry[]): string {
  const plain = plainName(entry)
  const same = entries.filter((other) => plainName(other) === plain)
  return same.length === 1 && plain !== readResourceName ? plain : `${entry.server}__${plain}`
}

function plainName({ alias, name }: Entry): string {
  return alias ?? name
}

function toTool({ server, name: tool, value }: Entry, name: string): AgentTool {
  const annotations = isObject(value.annotations) ? value.annotations : {}
  const meta = isObject(value._meta) ? value._meta : {}
  const agent = typeof meta[agentMark] === 'string' ? meta[agentMark] : undefined
  const readOnly = annotations.readOnlyHint === true
  const schema: JsonObject = isObject(value.inputSchema) ? value.inputSchema : { type: 'object' }
  return {
    name,
    server,
    tool,
    readOnly,
    // An agent takes up again what it was asked before.
    idempotent: readOnly || annotations.idempotentHint === true || agent !== undefined,
    agent,
    model: {
      name,
      ...(typeof value.description === 'string' ? { description: value.description } : {}),
      inputSchema: schema,
      target: `${server}/${tool}`,
    },
  }
}
