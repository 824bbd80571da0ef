import {
  defineServer,
  type JsonObject,
  type MessageContext,
  type ServerDefinition,
  type Tool,
  tool,
  uncheckedSchema,
} from '@mobius-mcp/protocol'
import { type AgentDefinition, type AgentIcon, chatToolOf } from './agent-definition.ts'
import { agentMark, startersMeta } from './agent-tools.ts'
import type { AgentsRuntime } from './agents-runtime.ts'
import { chat } from './chat.ts'
import { chatInput } from './chat-request.ts'
import { chatResources, chatTemplates } from './chat-resources.ts'
import { ClientContext } from './client-context.ts'
import { offeredPrompts, offeredResources } from './offered.ts'

/** The server of an agent: one tool, and what is said and done as resources. One for all clients. */
export function createServerOf(agents: AgentsRuntime, first: AgentDefinition): ServerDefinition {
  const { name, title, visibility } = first
  // A new definition takes the place of the old one while the server goes on.
  const current = () => agents.definition(name) ?? first
  const callerOf = (context: MessageContext) =>
    new ClientContext(context, (each) => agents.callerFor(each)).caller
  // It would wait for its own list.
  const others = (refs: readonly string[] = []) => (refs.length > 0 ? [...refs, `!${name}`] : refs)
  return defineServer({
    name,
    version: '1.0.0',
    instance: 'process',
    plainNames: true,
    // Only one whose model is the client's asks for one.
    asksClient: true,
    ...(title === undefined ? {} : { title }),
    ...(visibility === undefined ? {} : { visibility }),
    tools: (context) => ({ [chatToolOf(name)]: chatTool(agents, current(), context) }),
    prompts: (context) => offeredPrompts(others(current().prompts), callerOf(context)),
    resources: async (context) => ({
      ...(await offeredResources(others(current().resources), callerOf(context))),
      ...chatResources(agents, name, context),
    }),
    resourceTemplates: chatTemplates(agents, name),
    watch: (changed) =>
      agents.watchDefinition(name, () => {
        for (const list of ['tools', 'prompts', 'resources'] as const) changed(list)
      }),
  })
}

const input = uncheckedSchema(chatInput)

function chatTool(
  agents: AgentsRuntime,
  definition: AgentDefinition,
  context: MessageContext,
): Tool {
  const { name, title, description = `Chat with the agent ${name}.` } = definition
  const { icons = [], starterMessages = [] } = definition
  return tool({
    description,
    input,
    ...(title === undefined ? {} : { title }),
    ...(icons.length > 0 ? { icons: icons.map(toIcon) } : {}),
    _meta: {
      [agentMark]: name,
      ...(starterMessages.length > 0 ? { [startersMeta]: [...starterMessages] } : {}),
    },
    run: (args: JsonObject, { meta }) => chat(agents, definition, { args, meta }, context),
  })
}

function toIcon({ src, theme }: AgentIcon): AgentIcon & { readonly theme?: 'light' | 'dark' } {
  return theme === undefined ? { src } : { src, theme }
}
