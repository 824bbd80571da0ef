/**
 * What is here and what goes on: servers and calls, as an MCP server.
 *
 * @packageDocumentation
 */

export type {
  AgentReport,
  AskedReport,
  ChatQuery,
  ChatReport,
  Chats,
} from './chat-contracts.ts'
export type {
  CallReport,
  ChangeReport,
  MetaDependencies,
  Operations,
  QuestionReport,
  ServerReport,
} from './contracts.ts'
export { createMetaServer } from './create-meta-server.ts'
