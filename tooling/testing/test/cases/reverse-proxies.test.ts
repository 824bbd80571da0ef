import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { sdkV1 } from '../../src/fidelity/driver-v1.ts'
import { openGateway } from '../../src/fidelity/gateway-process.ts'
import { probeCommand } from '../../src/fidelity/probe-process.ts'
import { openReverseProxy } from './support/reverse-proxy.ts'

vi.setConfig({ testTimeout: 20_000 })

// A gateway that its clients reach through something else, under another name.

const { command, args } = probeCommand({})
const mcpServers = { probe: { command, args } }
const name = 'mcp.example.com'

test('behind a proxy that keeps the name of its clients, that name must be allowed, on every path', async () => {
  await using strict = await openGateway({ config: {} })
  await using proxy = await openReverseProxy(strict.origin, { headers: { host: name } })
  for (const path of ['/mcp', '/mcp/s/meta', '/healthz', '/readyz']) {
    const { status, body } = await get(proxy.url + path)
    expect(status, path).toBe(403)
    expect(JSON.stringify(body), path).toContain('http.allowedHosts')
  }
  await using open = await openGateway({ config: { http: { allowedHosts: [name] } } })
  await using allowed = await openReverseProxy(open.origin, { headers: { host: `${name}:8443` } })
  expect((await get(`${allowed.url}/readyz`)).status).toBe(200)
  await using client = await connect(`${allowed.url}/mcp`)
  expect(await client.request('tools/list', {})).toHaveProperty('tools')
})

test.each([
  { allowedHosts: [name], host: `${name}:1234`, status: 200 },
  { allowedHosts: [`${name}:*`], host: `${name}:1234`, status: 200 },
  { allowedHosts: [`${name}:1234`], host: `${name}:1234`, status: 200 },
  { allowedHosts: [`${name}:1234`], host: `${name}:80`, status: 403 },
  { allowedHosts: [name], host: `x.${name}`, status: 403 },
])('allowing $allowedHosts answers $host with $status', async ({ allowedHosts, host, status }) => {
  await using gateway = await openGateway({ config: { http: { allowedHosts } } })
  await using proxy = await openReverseProxy(gateway.origin, { headers: { host } })
  expect((await get(`${proxy.url}/healthz`)).status).toBe(status)
})

test('what a proxy says of its client counts if the proxy is trusted, and only then', async () => {
  const headers = { 'x-forwarded-host': name, 'x-forwarded-proto': 'https' }
  const http = { allowedHosts: [name] }
  await using trusting = await openGateway({
    config: { http: { ...http, trustedProxies: ['127.0.0.1'] } },
  })
  await using proxy = await openReverseProxy(trusting.origin, { headers })
  expect((await get(`${proxy.url}/healthz`)).status).toBe(200)
  const lie = { ...headers, 'x-forwarded-host': 'evil.example' }
  await using lying = await openReverseProxy(trusting.origin, { headers: lie })
  expect((await get(`${lying.url}/healthz`)).status).toBe(403)
  await using wary = await openGateway({ config: { http } })
  const rebinding = { ...headers, host: 'evil.example' }
  await using unknown = await openReverseProxy(wary.origin, { headers: rebinding })
  expect((await get(`${unknown.url}/healthz`)).status).toBe(403)
})

test('below a path of a proxy calls, streams and progress pass as they do without it', async () => {
  await using gateway = await openGateway({ config: { mcpServers } })
  await using proxy = await openReverseProxy(gateway.origin, { prefix: '/deep/below' })
  await using client = await connect(`${proxy.url}/mcp`)
  expect(await client.request('tools/list', {})).toHaveProperty('tools')
  const onprogress = () => {}
  const params = { name: 'probe__progress', arguments: { steps: 3 } }
  await client.request('tools/call', params, { onprogress })
  const methods = client.tape.records.map(({ message }) => message.method)
  expect(methods.filter((method) => method === 'notifications/progress')).toHaveLength(3)
  await client.request('tools/call', { name: 'probe__grow', arguments: { name: 'grown' } })
  await client.tape.find(({ message }) => message.method === 'notifications/tools/list_changed')
})

test('an answer has one length, whatever encodings the other end could take', async () => {
  await using gateway = await openGateway({ config: { mcpServers } })
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    },
  })
  const response = await fetch(`${gateway.origin}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'gzip, br, zstd',
      'content-type': 'application/json; charset=utf-8',
    },
    body,
  })
  expect(response.headers.get('content-encoding')).toBeNull()
  const { byteLength } = await response.arrayBuffer()
  expect(response.headers.get('content-length')).toBe(String(byteLength))
})

async function connect(url: string): ReturnType<typeof sdkV1.connect> {
  return await sdkV1.connect({ kind: 'http', url }, { capabilities: {} })
}

/** A connection of its own for each request, so that no pool stays behind. */
async function get(url: string): Promise<{ status: number; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>()
  request(url, { agent: false }, (response) => {
    json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
  })
    .on('error', reject)
    .end()
  return await promise
}
