import { describe, expect, test } from 'vitest'
import {
  createCallId,
  errorNumbers,
  isNotification,
  isProtocolError,
  isRequest,
  isResponse,
  type Message,
  ProtocolError,
  refusingCaller,
  toErrorObject,
} from '../src/index.ts'

describe('an error', () => {
  test('has a number that never changes, and no two mean the same but by intent', () => {
    const numbers = Object.values(errorNumbers)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(errorNumbers).toMatchObject({
      PARSE_ERROR: -32700,
      INVALID_REQUEST: -32600,
      METHOD_NOT_FOUND: -32601,
      INVALID_PARAMS: -32602,
      INTERNAL_ERROR: -32603,
      CONNECTION_CLOSED: -32000,
      REQUEST_TIMEOUT: -32001,
      RESOURCE_NOT_FOUND: -32002,
      URL_ELICITATION_REQUIRED: -32042,
      UNSUPPORTED_PROTOCOL_VERSION: -32022,
    })
  })

  test('is told as it is, with its data where there is any', () => {
    const cause = new Error('inside')
    const error = new ProtocolError('DENIED', 'Not for you', { data: { rule: 'r' }, cause })
    expect(toErrorObject(error)).toEqual({
      code: -32004,
      message: 'Not for you',
      data: { rule: 'r' },
    })
    expect(error.cause).toBe(cause)
    expect(toErrorObject(new ProtocolError('DENIED'))).toEqual({ code: -32004, message: 'DENIED' })
    const remote = { code: 7, message: 'theirs', data: 0 }
    expect(toErrorObject(new ProtocolError(remote))).toEqual(remote)
  })

  test('of any other kind tells nothing', () => {
    for (const error of [new TypeError('secret'), 'secret', null, undefined, { code: 1 }]) {
      expect(toErrorObject(error)).toEqual({ code: -32603, message: 'Internal error' })
    }
  })

  test('is known across copies of the package', () => {
    const copy = Object.assign(new Error('x'), { name: 'ProtocolError', number: -32602 })
    expect(isProtocolError(copy)).toBe(true)
    expect(toErrorObject(copy)).toEqual({ code: -32602, message: 'x' })
    expect(isProtocolError(new Error('x'))).toBe(false)
  })
})

test('a message is one of three kinds', () => {
  const kinds = (message: Message) => [
    isRequest(message),
    isNotification(message),
    isResponse(message),
  ]
  expect(kinds({ jsonrpc: '2.0', id: 0, method: 'a' })).toEqual([true, false, false])
  expect(kinds({ jsonrpc: '2.0', method: 'a' })).toEqual([false, true, false])
  expect(kinds({ jsonrpc: '2.0', id: 0, result: {} })).toEqual([false, false, true])
  expect(kinds({ jsonrpc: '2.0', error: { code: 1, message: '' } })).toEqual([false, false, true])
})

test('a call id is new each time', () => {
  const ids = Array.from({ length: 1000 }, () => createCallId())
  expect(new Set(ids).size).toBe(1000)
})

test('where no Caller was given, every way to call is refused', async () => {
  const text = 'This server was given no Caller, so it cannot call other servers.'
  await expect(refusingCaller.request('s', 'm', {})).rejects.toThrow(text)
  await expect(refusingCaller.call({ server: 's', tool: 't' }, {})).rejects.toThrow(text)
  await expect(refusingCaller.list('tools', ['s'])).rejects.toThrow(text)
})
