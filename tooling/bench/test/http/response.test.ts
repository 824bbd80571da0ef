import { expect, test } from 'vitest'
import { headerOf, parseResponse } from '../../src/http/response.ts'

const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\nMcp-Session-Id: Ab1\r\n\r\n{"a":1}'
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ndata: 1\r\n3\r\n23\n\r\n0\r\n\r\n'

test('a response is read once its last byte is there, wherever it was cut', () => {
  for (const text of [plain, chunked]) {
    const bytes = Buffer.from(text)
    for (let length = 0; length < bytes.length; length++) {
      expect(parseResponse(bytes.subarray(0, length))).toBeUndefined()
    }
    expect(parseResponse(bytes)?.length).toBe(bytes.length)
  }
})

test('chunks are joined, and characters that were cut between them are whole', () => {
  const face = Buffer.from('😀')
  const bytes = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n'),
    face.subarray(0, 2),
    Buffer.from('\r\n2\r\n'),
    face.subarray(2),
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  expect(parseResponse(bytes)?.body).toBe('😀')
})

test('a header is found whatever its case', () => {
  const response = parseResponse(Buffer.from(plain))
  expect(headerOf(response?.head ?? '', 'content-length')).toBe('7')
  expect(headerOf(response?.head ?? '', 'length')).toBeUndefined()
})

test('a header keeps the case of its value', () => {
  const response = parseResponse(Buffer.from(plain))
  expect(headerOf(response?.head ?? '', 'mcp-session-id')).toBe('Ab1')
})

test('a response without a body ends with its head', () => {
  const response = parseResponse(Buffer.from('HTTP/1.1 202 Accepted\r\n\r\n'))
  expect(response).toMatchObject({ status: 202, body: '' })
})
