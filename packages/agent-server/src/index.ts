/**
 * Agents as MCP servers: one chat tool, durable threads, a loop over tools.
 *
 * @packageDocumentation
 */

// Agents
export type {
  AgentDefinition,
  AgentIcon,
  AgentLimits,
  Instructions,
  PromptInstructions,
} from './agent-definition.ts'
export { chatToolOf } from './agent-definition.ts'
export type { Agents, AgentsOptions, ModelAsker, ModelSource } from './agents.ts'
export { createAgentServer, createAgents } from './agents.ts'
export type { AgentContext } from './step-context.ts'

// Chats
export type { Attachment } from './attachments.ts'
export type { WhenBusy } from './chat-request.ts'
export { asyncMeta, whenBusyMeta } from './chat-request.ts'
export { endMeta, threadMeta, turnMeta, usageMeta } from './chat.ts'
export { eventMeta } from './tool-call.ts'
export { agentMark, startersMeta } from './agent-tools.ts'

// Threads
export type {
  AssistantItem,
  ChatItem,
  EndItem,
  EndReason,
  ResultItem,
  SpillItem,
  SummaryItem,
  UserItem,
} from './items.ts'
export type { ChatEvent } from './progress-log.ts'
export type { ThreadPart } from './thread-hub.ts'
export { cursorMeta, moreMeta } from './read-chat.ts'
export { itemType } from './own-resources.ts'

// Hooks
export type { LifePoint } from './life-hooks.ts'
