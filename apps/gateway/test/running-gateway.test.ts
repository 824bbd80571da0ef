import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKey, findRunning, leaveNote, type RunningGateway } from '../src/running-gateway.ts'

test('a gateway that answers is found by its note, which only its owner can read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'note-'))
  await using server = await serveHealth(200)
  const state = join(folder.path, 'deep', 'state')
  const note = createNote(server.url)
  {
    await using _left = await leaveNote(state, note)
    expect(await findRunning(state)).toEqual(note)
    expect((await stat(join(state, 'gateway.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(state)).mode & 0o777).toBe(0o700)
  }
  expect(await findRunning(state)).toBeUndefined()
})

test('a note whose gateway is gone, unwell or unreadable leads nowhere', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'note-'))
  const gone = await serveHealth(200)
  await gone[Symbol.asyncDispose]()
  await using unwell = await serveHealth(503)
  for (const url of [gone.url, unwell.url]) {
    await using _left = await leaveNote(folder.path, createNote(url))
    expect(await findRunning(folder.path)).toBeUndefined()
  }
  for (const text of ['', '{', '[]', 'null', '{"version":2}', '{"version":1,"url":7}']) {
    await writeFile(join(folder.path, 'gateway.json'), text)
    expect(await findRunning(folder.path)).toBeUndefined()
  }
})

test('a gateway takes away its own note only', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'note-'))
  const first = await leaveNote(folder.path, createNote('http://127.0.0.1:1'))
  const second = createNote('http://127.0.0.1:2')
  await using _left = await leaveNote(folder.path, second)
  await first[Symbol.asyncDispose]()
  expect(JSON.parse(await readFile(join(folder.path, 'gateway.json'), 'utf8'))).toEqual(second)
})

function createNote(url: string): RunningGateway {
  const keys = { operatorKey: createKey(), clientKey: createKey() }
  return {
    version: 1,
    url,
    pid: process.pid,
    configuration: ['/etc/mobius.yaml'],
    profiles: [],
    ...keys,
  }
}

async function serveHealth(status: number): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
