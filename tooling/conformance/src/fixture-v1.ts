import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveHttp } from './fixture-v1/http.ts'
import { createFixtureV1 } from './fixture-v1/server.ts'

const { values } = parseArgs({ options: { port: { type: 'string' } } })

if (values.port === undefined) {
  await createFixtureV1().connect(new StdioServerTransport())
} else {
  serveHttp(Number(values.port), createFixtureV1)
}
