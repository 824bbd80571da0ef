import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { registerPrompts } from './prompts.ts'
import { registerQuestions } from './questions.ts'
import { registerResources } from './resources.ts'
import { registerTools } from './tools.ts'

/** The contract of the official suite's server scenarios on the v1 SDK alone, for one session. */
export function createFixtureV1(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture-v1', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  )
  registerTools(server)
  registerQuestions(server)
  registerResources(server)
  registerPrompts(server)
  return server
}
