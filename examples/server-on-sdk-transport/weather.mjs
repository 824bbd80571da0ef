// A server made with @mobius-mcp/protocol alone, on a transport of the official SDK.
import { defineServer, openSession, refusingCaller, tool } from '@mobius-mcp/protocol'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const weather = defineServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool({
      description: 'Forecast for one city.',
      input: z.object({ city: z.string().describe('City name, e.g. Oslo') }),
      output: z.object({ city: z.string(), celsius: z.number() }),
      run: ({ city }) => ({ city, celsius: city.length }),
    }),
  },
})
const closing = new AbortController().signal
const handler = await weather.create({ folder: '.', closing, callerFor: () => refusingCaller })
await openSession(new StdioServerTransport(), handler, { kind: 'client' })
