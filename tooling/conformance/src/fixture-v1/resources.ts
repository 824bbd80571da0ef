import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { png, templateText, texts } from '../contract.ts'

/** The resources, one of them a template and one to be watched. */
export function registerResources(server: McpServer): void {
  registerText(server, 'static-text', texts.staticText)
  registerText(server, 'watched-resource', 'Watched resource content')
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'A static image.', mimeType: 'image/png' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: png }] }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data for an id.', mimeType: 'application/json' },
    ({ href: uri }, { id }) => ({
      contents: [{ uri, mimeType: 'application/json', text: templateText(String(id)) }],
    }),
  )
  acceptSubscriptions(server)
}

function registerText(server: McpServer, name: string, text: string): void {
  server.registerResource(
    name,
    `test://${name}`,
    { description: 'A text that never changes.', mimeType: 'text/plain' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text }] }),
  )
}

function acceptSubscriptions({ server }: McpServer): void {
  const subscribed = new Set<string>()
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
}
