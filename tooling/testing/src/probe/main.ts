import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createFixture } from './fixture.ts'
import { serveProbeHttp } from './http.ts'
import { createLatches } from './latches.ts'
import { openRecordFile } from './recording.ts'
import { type Probe, serveProbe } from './server.ts'

// The probe: an MCP server of nothing but the v1 SDK, with everything in it that a hop may lose.
//
//   node main.ts stdio | http
//
// PROBE_LOG           file that gets every message as a line of JSON
// PROBE_TAG           what its URIs carry (probe)
// PROBE_PORT          port for http (a free one)
// PROBE_KEEPALIVE_MS  time between keep-alive comments
// PROBE_RESUMABLE     1: streams resume by Last-Event-ID

const { env, argv } = process
const { PROBE_LOG: path } = env
const probe: Probe = {
  fixture: createFixture(env.PROBE_TAG ?? 'probe'),
  latches: createLatches(),
  record: path === undefined ? () => undefined : openRecordFile(path),
}

// Whoever started the probe holds its stdin; without them there is nobody to serve.
process.stdin.on('end', () => process.exit(0))

if (argv[2] === 'http') {
  const url = await serveProbeHttp(probe, {
    port: Number(env.PROBE_PORT ?? 0),
    keepAliveMs: env.PROBE_KEEPALIVE_MS === undefined ? undefined : Number(env.PROBE_KEEPALIVE_MS),
    isResumable: env.PROBE_RESUMABLE === '1',
  })
  process.stdin.resume()
  process.stdout.write(`${JSON.stringify({ url, pid: process.pid })}\n`)
} else {
  const listening = Promise.resolve()
  await serveProbe(probe, { transport: new StdioServerTransport(), label: 'stdio', listening })
}
