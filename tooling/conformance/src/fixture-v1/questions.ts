import type { McpServer, ToolCallback } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  type CallToolResult,
  CreateMessageResultSchema,
  ElicitResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { defaultsForm, enumsForm, type FormSchema, userForm } from '../contract.ts'

type Exchange = Parameters<ToolCallback>[0]

/** The tools that ask their client something and answer with what it said. */
export function registerQuestions(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    {
      description: "Asks the client's model.",
      inputSchema: { prompt: z.string().describe('What to ask the model') },
    },
    ({ prompt }, exchange) => sample(exchange, prompt),
  )
  server.registerTool(
    'test_elicitation',
    {
      description: 'Asks the user who they are.',
      inputSchema: { message: z.string().describe('What to show the user') },
    },
    ({ message }, exchange) =>
      elicit(exchange, { message, requestedSchema: userForm, prefix: 'User response' }),
  )
  registerForm(server, 'test_elicitation_sep1034_defaults', defaultsForm)
  registerForm(server, 'test_elicitation_sep1330_enums', enumsForm)
}

function registerForm(server: McpServer, name: string, requestedSchema: FormSchema): void {
  server.registerTool(
    name,
    { description: `Asks the user to fill in a form: ${name}.` },
    (exchange) =>
      elicit(exchange, {
        message: 'Please review and update the form.',
        requestedSchema,
        prefix: 'Elicitation completed',
      }),
  )
}

async function sample({ sendRequest }: Exchange, prompt: string): Promise<CallToolResult> {
  const { content } = await sendRequest(
    {
      method: 'sampling/createMessage',
      params: {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      },
    },
    CreateMessageResultSchema,
  )
  const answer = content.type === 'text' ? content.text : JSON.stringify(content)
  return { content: [{ type: 'text', text: `LLM response: ${answer}` }] }
}

async function elicit(
  { sendRequest }: Exchange,
  question: { message: string; requestedSchema: FormSchema; prefix: string },
): Promise<CallToolResult> {
  const { prefix, ...params } = question
  const { action, content } = await sendRequest(
    { method: 'elicitation/create', params },
    ElicitResultSchema,
  )
  const answer = `action=${action}, content=${JSON.stringify(content ?? {})}`
  return { content: [{ type: 'text', text: `${prefix}: ${answer}` }] }
}
