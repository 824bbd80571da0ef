import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { png, schemaKeywords, texts, wav } from '../contract.ts'

/** The tools that ask nobody. */
export function registerTools(server: McpServer): void {
  registerContents(server)
  registerReports(server)
  registerReconnection(server)
  registerSchema(server)
}

function registerContents(server: McpServer): void {
  const contents: Record<string, CallToolResult['content']> = {
    test_simple_text: [{ type: 'text', text: texts.simple }],
    test_image_content: [{ type: 'image', data: png, mimeType: 'image/png' }],
    test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
    test_embedded_resource: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: texts.embedded,
        },
      },
    ],
    test_multiple_content_types: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: texts.mixed,
        },
      },
    ],
  }
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: `Returns fixed content: ${name}.` }, () => ({
      content,
    }))
  }
  server.registerTool('test_error_handling', { description: 'Always fails.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: texts.failure }],
  }))
}

function registerReports(server: McpServer): void {
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three times while it runs.' },
    async ({ sendNotification }) => {
      for (const data of texts.logs) {
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'info', data },
        })
        await sleep(50)
      }
      return { content: [{ type: 'text', text: 'Logged three times.' }] }
    },
  )
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress three times while it runs.' },
    async ({ _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          })
        }
        await sleep(50)
      }
      return { content: [{ type: 'text', text: 'Reported 100 of 100.' }] }
    },
  )
}

function registerReconnection(server: McpServer): void {
  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream while it runs and finishes afterwards.' },
    async ({ closeSSEStream }) => {
      closeSSEStream?.()
      await sleep(100)
      return { content: [{ type: 'text', text: 'Finished after the stream was closed.' }] }
    },
  )
}

function registerSchema(server: McpServer): void {
  const inputSchema = z
    .strictObject({
      name: z.string(),
      address: z.unknown().meta({ $ref: '#/$defs/address' }),
      contactMethod: z.enum(['phone', 'email']),
      phone: z.string(),
      email: z.string(),
    })
    .partial()
    .meta(schemaKeywords)
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema },
    (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
  )
}
