import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type Message, openSession } from '../src/index.ts'
import { createLineWire, type LineWireOptions } from '../src/stdio.ts'
import { silent } from './support/conversation.ts'
import { createTestClock, settle } from './support/test-clock.ts'

async function open(options: LineWireOptions = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const heard: Message[] = []
  const errors: string[] = []
  const noise: string[] = []
  let ends = 0
  const wire = createLineWire(input, output, { onNoise: (line) => noise.push(line), ...options })
  wire.onmessage = (message) => void heard.push(message)
  wire.onerror = ({ message }) => void errors.push(message)
  wire.onclose = () => {
    ends += 1
  }
  await wire.start()
  return { input, output, wire, heard, errors, noise, ends: () => ends }
}

const message = (data: unknown): Message => ({ jsonrpc: '2.0', method: 'x', params: { data } })
const line = (data: unknown): string => `${JSON.stringify(message(data))}\n`

describe('reading lines', () => {
  test('gives the same message wherever the bytes are cut, in the middle of a character too', async () => {
    const texts = ['snö', '漢字', '😀\u2028\u0000', 'a']
    const bytes = Buffer.from(texts.map(line).join(''))
    for (let size = 1; size < 20; size++) {
      const { input, heard } = await open()
      for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size))
      await settle()
      expect(heard).toEqual(texts.map(message))
    }
  })

  test('takes CRLF for a line end, and skips empty lines', async () => {
    const { input, heard, noise } = await open()
    input.write(`\r\n\n${line(1).trim()}\r\n\n`)
    await settle()
    expect(heard).toEqual([message(1)])
    expect(noise).toEqual([])
  })

  test('skips what is no message, and tells of it', async () => {
    const { input, heard, noise, errors } = await open()
    input.write(`Server listening\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"level":"info"}\n`)
    input.write(line(1))
    await settle()
    expect(heard).toEqual([message(1)])
    expect(noise).toHaveLength(3)
    expect(errors).toEqual(['Invalid request: "jsonrpc" must be "2.0"; received {"level":"info"}'])
  })

  test('finds the first answer behind a banner that lacks its newline, and never a request', async () => {
    const { input, heard, noise } = await open()
    input.write(`Ready> {"jsonrpc":"2.0","id":1,"method":"x"}\n`)
    input.write(`Ready> {"jsonrpc":"2.0","id":1,"result":{}}\n`)
    input.write(`Ready> {"jsonrpc":"2.0","id":2,"result":{}}\n`)
    await settle()
    expect(heard).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect(noise).toEqual([
      'Ready> {"jsonrpc":"2.0","id":1,"method":"x"}',
      'Ready> ',
      'Ready> {"jsonrpc":"2.0","id":2,"result":{}}',
    ])
  })

  test('takes a line of 20 MB', async () => {
    const { input, heard } = await open()
    const text = 'å'.repeat(10 * 1024 * 1024)
    const bytes = Buffer.from(line(text))
    for (let at = 0; at < bytes.length; at += 65_536) input.write(bytes.subarray(at, at + 65_536))
    await settle()
    expect(heard).toHaveLength(1)
    expect(heard[0]).toEqual(message(text))
  })

  test('ends at a line that is too long, saying the limit', async () => {
    const { input, heard, errors, ends } = await open({ maxLineBytes: 100 })
    input.write(line(1))
    input.write('x'.repeat(101))
    input.write(line(2))
    await settle()
    expect(heard).toEqual([message(1)])
    expect(errors).toEqual(['A line is longer than 100 bytes'])
    expect(ends()).toBe(1)
  })

  test('takes a last line without its newline', async () => {
    const { input, heard, ends } = await open()
    input.end(line(1).trim())
    await once(input, 'close')
    await settle()
    expect(heard).toEqual([message(1)])
    expect(ends()).toBe(1)
  })
})

describe('writing lines', () => {
  test('makes one write of what is sent in one turn', async () => {
    const chunks: string[] = []
    const output = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk))
        done()
      },
    })
    const wire = createLineWire(new PassThrough(), output)
    await wire.start()
    await Promise.all([1, 2, 3].map((n) => wire.send(message(n))))
    await wire.send(message(4))
    expect(chunks).toEqual([line(1) + line(2) + line(3), line(4)])
  })

  test('waits for a slow reader, and keeps the order', async () => {
    const chunks: string[] = []
    let release = () => {}
    const output = new Writable({
      highWaterMark: 1,
      write(chunk, _, done) {
        chunks.push(String(chunk))
        release = done
      },
    })
    const wire = createLineWire(new PassThrough(), output)
    await wire.start()
    await wire.send(message(1))
    const second = wire.send(message(2))
    const third = wire.send(message(3))
    await settle()
    expect(chunks).toEqual([line(1)])
    release()
    await Promise.all([second, third])
    expect(chunks).toEqual([line(1), line(2) + line(3)])
  })

  test('keeps a newline inside a text from ending the line', async () => {
    const { output, wire } = await open()
    await wire.send(message('a\nb\r\nc\u2028'))
    const text = String(output.read())
    expect(text.indexOf('\n')).toBe(text.length - 1)
  })

  test('rejects what JSON cannot hold, and goes on', async () => {
    const { output, wire } = await open()
    await expect(wire.send(message(1n))).rejects.toThrow('BigInt')
    await wire.send(message(1))
    expect(String(output.read())).toBe(line(1))
  })

  test('rejects when it has ended', async () => {
    const { wire, output, ends } = await open()
    await wire.close()
    await wire.close()
    await expect(wire.send(message(1))).rejects.toThrow(
      'The stream is closed; the message was not sent',
    )
    expect(ends()).toBe(1)
    expect(output.read()).toBeNull()
  })

  test('sends what was said before it was closed', async () => {
    const { wire, output } = await open()
    const sent = wire.send(message('goodbye'))
    await wire.close()
    await sent
    expect(String(output.read())).toBe(line('goodbye'))
  })
})

describe('the end of a stream', () => {
  test('fails what waits for an answer, at once', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const session = await openSession(createLineWire(input, output), silent)
    const answer = session.request('tools/call', {})
    input.end()
    await expect(answer).rejects.toThrow(
      'tools/call: connection closed: the other end closed the connection',
    )
    expect(session.closed.aborted).toBe(true)
  })

  test('by an error is told and survived, even when it comes twice', async () => {
    const { input, output, errors, ends } = await open()
    output.emit('error', new Error('EPIPE'))
    output.emit('error', new Error('EPIPE again'))
    input.emit('error', new Error('ECONNRESET'))
    expect(errors[0]).toBe('EPIPE')
    expect(ends()).toBe(1)
  })

  test('leaves no listener on data, and lets the stream rest', async () => {
    const { input, wire } = await open()
    await wire.close()
    expect(input.listenerCount('data')).toBe(0)
    expect(input.isPaused()).toBe(true)
  })
})

describe('input that ends before what was asked is answered', () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"x"}\n'

  test('leaves time for the answer, and ends with it', async () => {
    const clock = createTestClock()
    const { input, wire, ends } = await open({ patience: 1000, clock })
    input.end(request)
    await settle()
    expect(ends()).toBe(0)
    await wire.send({ jsonrpc: '2.0', id: 1, result: {} })
    await settle()
    expect([ends(), clock.timers]).toEqual([1, 0])
  })

  test('does not wait for ever', async () => {
    const clock = createTestClock()
    const { input, ends } = await open({ patience: 1000, clock })
    input.end(request)
    await settle()
    await clock.advance(1000)
    expect([ends(), clock.timers]).toEqual([1, 0])
  })

  test('ends at once where nobody said to wait', async () => {
    const { input, ends } = await open()
    input.end(request)
    await settle()
    expect(ends()).toBe(1)
  })
})
