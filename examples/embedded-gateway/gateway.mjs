// A gateway inside another program: what a fetch runtime (Deno, Bun, Workers, …) serves as it is.
import { createHttpHost } from '@mobius-mcp/http-host'
import { defineServer, tool } from '@mobius-mcp/protocol'
import { createToolsService } from '@mobius-mcp/tools-service'
import { z } from 'zod'

const greet = tool({
  description: 'Greets somebody.',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `hello ${name}`,
})
const service = createToolsService({
  observe: ({ server, name, outcome }) => console.log(server, name, outcome),
})
service.addServer(defineServer({ name: 'greeter', version: '1.0.0', tools: { greet } }))
const published = service.publish({ refs: ['*'] })
const host = createHttpHost({ route: (path) => (path === '/mcp' ? published : undefined) })

export default { fetch: host.fetch }
