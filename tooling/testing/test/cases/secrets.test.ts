import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { linesOf, openGateway } from '../../src/fidelity/gateway-process.ts'
import { caseServer } from './support/case-server.ts'
import { openClient } from './support/client.ts'

vi.setConfig({ testTimeout: 20_000 })

// What a server was given is between the configuration and the server.

const secrets = {
  environment: 'env-5c1f0a7e9b',
  password: 'pass-77d0c2aa41',
  option: 'opt-90be14fd33',
  value: 'val-2f6a8810cd',
  header: 'head-b3e95f0672',
  query: 'query-4d81c6e09f',
  gateway: 'gate-e07a3b52d8',
}

const args = [
  '--api-key',
  secrets.option,
  `--token=${secrets.value}`,
  `postgres://user:${secrets.password}@db.example/main`,
  '--folder',
  '/srv/files',
]
const env = { API_KEY: secrets.environment, DATABASE: `redis://:${secrets.password}@cache.example` }

test('secrets of a server show in no log, no list, no reason and no answer', async () => {
  await using remote = await openEcho()
  const url = `${remote.origin}/mcp?key=${secrets.query}`
  await using gateway = await openGateway({
    config: {
      mcpServers: {
        talking: { ...caseServer({ tells: true }, ...args), env },
        ending: { ...caseServer({ tells: true, ends: true }, ...args), env },
        remote: { url, headers: { authorization: `Bearer ${secrets.header}` } },
      },
    },
    args: ['--verbose'],
    env: { GATEWAY_SECRET: secrets.gateway },
  })
  await using client = await openClient(`${gateway.origin}/mcp`)
  const answers = [
    await client.text('talking__echo'),
    await client.text('ending__echo'),
    await client.text('remote__echo'),
    await client.ask('tools/list'),
    await client.ask('tools/call', { name: 'meta__list_servers', arguments: {} }),
    await client.ask('resources/list'),
  ]
  for (const name of ['talking', 'ending', 'remote']) {
    answers.push(await client.ask('resources/read', { uri: `server:///${name}` }))
  }
  const shown = `${JSON.stringify(answers)}\n${gateway.said.join('\n')}`
  for (const [kind, secret] of Object.entries(secrets)) expect(shown, kind).not.toContain(secret)
  // What is no secret is there to be read.
  expect(linesOf(gateway, 'talking')).toEqual(expect.arrayContaining(['/srv/files', '[--api-key]']))
  expect(shown).toContain('exited with code 3 before it answered')
})

/** A server that refuses whoever asks, and repeats all that it was sent. */
async function openEcho(): Promise<AsyncDisposable & { origin: string }> {
  const server = createServer((request, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' })
    response.end(`${request.url} ${JSON.stringify(request.headers)}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
