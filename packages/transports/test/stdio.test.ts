import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStdioWire, type StdioOptions } from '@mobius-mcp/transports'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, test } from 'vitest'
import { failure, failureOf, openTestSession, type TestSession, until } from './support.ts'

const fixture = join(import.meta.dirname, 'fixtures/child.mjs')

function open(flags: string[] = [], options: Partial<StdioOptions> = {}): Promise<TestSession> {
  const args = [fixture, ...flags]
  return openTestSession({ type: 'stdio', command: process.execPath, args, ...options })
}

function isRunning(pid: unknown): boolean {
  try {
    // A dead process stays listed until somebody reaps it.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

describe('messages over stdio', () => {
  test('a request is answered, and many at once each get their own answer', async () => {
    await using server = await open()
    const numbers = Array.from({ length: 500 }, (_, n) => n)
    const answers = await Promise.all(numbers.map((n) => server.request('echo', { n })))
    expect(answers.map((answer) => answer.n)).toEqual(numbers)
  })

  test('a message of 20 MB passes both ways', async () => {
    await using server = await open()
    const { text } = await server.request('huge', { length: 20_000_000 })
    expect(String(text).length).toBe(20_000_000)
    const echoed = await server.request('echo', { text })
    expect(echoed.text === text).toBe(true)
  })

  test('a line beyond the cap ends the connection and says so', async () => {
    await using server = await openTestSession(
      { type: 'stdio', command: process.execPath, args: [fixture] },
      { maxMessageBytes: 1000 },
    )
    const message = await failure(server.request('huge', { length: 100_000 }))
    expect(message).toContain('A line is longer than 1000 bytes')
  })

  test('characters that arrive byte by byte stay whole', async () => {
    await using server = await open()
    expect(await server.request('split', { text: 'þ€𝄞\u2028é' })).toEqual({ text: 'þ€𝄞\u2028é' })
  })

  test('unknown members and __proto__ pass untouched', async () => {
    await using server = await open()
    const params = JSON.parse('{"__proto__":{"a":1},"deep":{"x":[null,false,0,""]}}')
    const result = await server.request('echo', params)
    expect(JSON.stringify(result)).toBe(JSON.stringify(params))
  })

  test('noise on stdout is skipped and logged', async () => {
    await using server = await open()
    expect(await server.request('noise')).toEqual({})
    expect(server.logs.filter((line) => line.source === 'stdout').map((line) => line.text)).toEqual(
      ['just a log line', '{"not": "a message"}', '[1,2]'],
    )
  })

  test('a banner without a newline does not swallow the first answer', async () => {
    await using server = await open(['banner'])
    expect(await server.request('echo', { first: true })).toEqual({ first: true })
    expect(server.logs.map((line) => line.text)).toContain('Welcome!')
  })

  test('an answer that is no valid message fails its request at once', async () => {
    await using server = await open()
    expect(await failure(server.request('malformed'))).toContain('"result" must be an object')
  })

  test('10 MB on stderr block nothing', async () => {
    await using server = await open()
    expect(await server.request('flood', { length: 10_000_000 })).toEqual({})
  })

  test('a reader that is slow is waited for by one listener', async () => {
    await using server = await open()
    const warnings: unknown[] = []
    const onWarning = (warning: unknown) => void warnings.push(warning)
    process.on('warning', onWarning)
    for (let turn = 0; turn < 50; turn++) {
      void server.request('echo', { text: 'x'.repeat(100_000) })
      await Promise.resolve()
    }
    await server.request('echo', {})
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('an SDK client runs on the wire', async () => {
    const wire = createStdioWire({ command: process.execPath, args: [fixture] })
    const client = new Client({ name: 'test', version: '1' })
    const connected = client.connect(wire)
    // The fixture has no handshake, and the SDK says so: the wire carried both.
    await expect(connected).rejects.toThrow()
    await client.close()
  })
})

describe('the environment of a child', () => {
  test('holds a short list and what is configured, and no secret of ours', async () => {
    process.env.MOBIUS_TEST_SECRET = 'hunter2-hunter2'
    try {
      await using server = await open([], { env: { GREETING: 'hello' } })
      const environment = await server.request('env')
      expect(environment).toMatchObject({ GREETING: 'hello', PATH: process.env.PATH })
      expect(JSON.stringify(environment)).not.toContain('hunter2')
    } finally {
      delete process.env.MOBIUS_TEST_SECRET
    }
  })

  test('is where a command is looked for', async () => {
    const message = await failure(open([], { command: 'node', env: { PATH: '/nowhere' } }))
    expect(message).toMatchInlineSnapshot(
      `"Could not start "node": there is no such command. Install it, or give its full path"`,
    )
  })
})

describe('a child that does not start', () => {
  test('a missing command is named', async () => {
    const error = await failureOf(open([], { command: 'no-such-command-here' }))
    expect(error.code).toBe('SERVER_UNAVAILABLE')
    expect(error.message).toMatchInlineSnapshot(
      `"Could not start "no-such-command-here": there is no such command. Install it, or give its full path"`,
    )
  })

  test('a missing working directory is not taken for a missing command', async () => {
    expect(await failure(open([], { cwd: '/no/such/folder' }))).toMatch(
      'the working directory /no/such/folder does not exist',
    )
  })

  test('an exit at once fails the request with code and last words, without secrets', async () => {
    await using server = await open(['crash'], { env: { API_KEY: 'sk-very-secret' } })
    expect(await failure(server.request('echo'))).toBe(
      `echo: connection closed: "${process.execPath}" exited with code 3 before it answered; stderr: starting cannot read key [API_KEY]`,
    )
    expect(JSON.stringify(server.logs)).not.toContain('very-secret')
  })

  test('an aborted attempt starts nothing', async () => {
    const wire = createStdioWire(
      { command: process.execPath, args: [fixture] },
      { signal: AbortSignal.abort(new Error('changed my mind')) },
    )
    expect(await failure(wire.start())).toBe('changed my mind')
    await wire.close()
  })
})

describe('a child that ends', () => {
  test('an exit during a request fails it with the cause', async () => {
    await using server = await open()
    await server.request('echo')
    const message = await failure(server.request('exit', { code: 7, stderr: 'out of disk\n' }))
    expect(message).toMatch(/exited with code 7; stderr: out of disk$/)
    expect(await failure(server.request('echo'))).toContain('exited with code 7')
  })

  test('kill -9 fails everything in flight within a second', async () => {
    await using server = await open()
    await server.request('echo')
    const pending = [1, 2, 3].map(() => failure(server.request('hang')))
    const begin = performance.now()
    process.kill(Number((server.wire as { pid?: number }).pid), 'SIGKILL')
    for (const message of await Promise.all(pending))
      expect(message).toContain('was ended by SIGKILL')
    expect(performance.now() - begin).toBeLessThan(1000)
    expect(await server.closed).toContain('was ended by SIGKILL')
  })

  test('writing to a child that is gone is an error, not a crash', async () => {
    await using server = await open()
    await server.request('echo')
    process.kill(Number((server.wire as { pid?: number }).pid), 'SIGKILL')
    const message = await failure(server.request('echo', { text: 'x'.repeat(5_000_000) }))
    expect(message).toMatch(/SIGKILL|closed its stdin/)
  })

  test('what it started goes with it, though it went first', async () => {
    await using server = await open()
    const { pid } = await server.request('grandchild')
    expect(isRunning(pid)).toBe(true)
    process.kill(Number((server.wire as { pid?: number }).pid), 'SIGKILL')
    await server.closed
    await until(() => !isRunning(pid))
  })
})

describe('closing', () => {
  test('a child that ends with its stdin is not signalled', async () => {
    const server = await open()
    await server.request('echo')
    const pid = (server.wire as { pid?: number }).pid
    await server.session.close()
    expect(isRunning(pid)).toBe(false)
    expect(server.wire.closeReason).toBe('the connection was closed')
  })

  test('a child deaf to SIGTERM and its grandchild are both gone afterwards', async () => {
    const server = await open(['ignore-term', 'ignore-stdin-end'])
    const { pid: grandchild } = await server.request('grandchild')
    const child = (server.wire as { pid?: number }).pid
    expect([isRunning(child), isRunning(grandchild)]).toEqual([true, true])
    await server.session.close()
    expect([isRunning(child), isRunning(grandchild)]).toEqual([false, false])
    expect(server.wire.closeReason).toBe('the connection was closed')
  })

  test('may be called again, and before the start', async () => {
    const server = await open()
    await Promise.all([server.session.close(), server.wire.close(), server.wire.close()])
    const wire = createStdioWire({ command: process.execPath })
    await wire.close()
    expect(await failure(wire.start())).toBe('A wire starts once; make a new one')
  })

  test('many children leave one exit listener, and none afterwards', async () => {
    const before = process.listenerCount('exit')
    const servers = await Promise.all([open(), open(), open()])
    expect(process.listenerCount('exit')).toBe(before + 1)
    await Promise.all(servers.map((server) => server.session.close()))
    expect(process.listenerCount('exit')).toBe(before)
  })
})

describe('a process that uses stdio servers', () => {
  test('takes them along when it exits, and never loads the SDK', async () => {
    const script = join(import.meta.dirname, 'fixtures/exiting-host.ts')
    const result = spawnSync(
      process.execPath,
      ['--conditions=@mobius-mcp/source', script, fixture],
      {
        encoding: 'utf8',
      },
    )
    expect(result.stderr).toBe('')
    const { child, grandchild, sdkFiles } = JSON.parse(result.stdout)
    await until(() => !isRunning(child) && !isRunning(grandchild))
    expect(sdkFiles).toEqual([])
  })
})
