import { type Caller, isObject, type JsonObject, type Principal } from '@mobius-mcp/protocol'
import type { AgentDefinition, Instructions } from './agent-definition.ts'

/** An agent for one turn: its instructions are what they are now. */
export interface ReadyDefinition extends AgentDefinition {
  readonly instructions: Instructions | undefined
}

/** An agent as whoever it works for has it. @throws what its instructions throw. */
export function readyFor(definition: AgentDefinition, principal: Principal): ReadyDefinition {
  const { instructions } = definition
  const ready = typeof instructions === 'function' ? instructions(principal) : instructions
  return { ...definition, instructions: ready }
}

/** What stands above the conversation: text, or what a prompt says now; and which servers cannot be had. */
export async function readInstructions(
  caller: Caller,
  instructions: Instructions | undefined,
  missing: readonly { readonly server: string; readonly reason: string }[],
): Promise<string | undefined> {
  const texts: string[] = []
  if (typeof instructions === 'string') texts.push(instructions)
  else if (instructions) {
    const { server, prompt: name, arguments: args = {} } = instructions
    const { messages } = await caller.request(server, 'prompts/get', { name, arguments: args })
    texts.push(textOf(messages))
  }
  if (missing.length > 0) {
    const list = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ')
    texts.push(`The tools of these servers cannot be had at present: ${list}.`)
  }
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

function textOf(messages: unknown): string {
  const all = Array.isArray(messages) ? messages.filter(isObject) : []
  return all
    .map(({ content }) => content)
    .filter((content): content is JsonObject => isObject(content) && content.type === 'text')
    .map(({ text }) => String(text))
    .join('\n\n')
}
