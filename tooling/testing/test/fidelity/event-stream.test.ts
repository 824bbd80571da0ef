import { expect, test } from 'vitest'
import { collect, readEventStream, type StreamItem } from '../../src/fidelity/event-stream.ts'

test('an event has the lines of its data, its type and the last id', async () => {
  const stream = 'id: 1\nevent: message\ndata: a\ndata:b\ndata:  c\n\ndata: d\n\n'
  expect(await parse(stream)).toEqual([
    event({ data: 'a\nb\n c', isTyped: true, lastEventId: '1' }),
    event({ data: 'd', lastEventId: '1' }),
  ])
})

test('lines end in LF, CR or CRLF, wherever the chunks are cut', async () => {
  const stream = 'data: a\r\rdata: b\r\n\r\ndata: c\n\ndata: d\rdata: e\r\n\n'
  const expected = [
    event({ data: 'a' }),
    event({ data: 'b' }),
    event({ data: 'c' }),
    event({ data: 'd\ne' }),
  ]
  for (let size = 1; size < stream.length; size += 1) {
    expect(await parse(stream, size)).toEqual(expected)
  }
})

test('characters are whole, wherever the chunks are cut', async () => {
  expect(await parse('\ufeffdata: 😀\u2028\u0085\n\n', 1)).toEqual([
    event({ data: '😀\u2028\u0085' }),
  ])
})

test('comments are told apart, empty data is an event, no data is none', async () => {
  expect(await parse(': one\n:two\n\nid: 7\ndata:\n\nevent: x\n\nid\ndata\n\n')).toEqual([
    { kind: 'comment', text: 'one' },
    { kind: 'comment', text: 'two' },
    event({ data: '', lastEventId: '7' }),
    event({ data: '' }),
  ])
})

test('unknown fields and ids with NUL are ignored; what is not complete is dropped', async () => {
  expect(await parse('retry: 5\nfoo: bar\nid: a\0b\ndata: a\n\ndata: lost\n')).toEqual([
    event({ data: 'a' }),
  ])
})

function event(parts: { data: string; isTyped?: boolean; lastEventId?: string }): StreamItem {
  return { kind: 'event', type: 'message', isTyped: false, lastEventId: '', ...parts }
}

function parse(stream: string, size: number = stream.length): Promise<StreamItem[]> {
  const bytes = Buffer.from(stream)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  return collect(readEventStream(toAsync(chunks)))
}

async function* toAsync(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
