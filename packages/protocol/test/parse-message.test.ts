import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isProtocolError, type ProtocolError, parseMessage, toMessage } from '../src/index.ts'

function refusal(text: string): string {
  try {
    parseMessage(text)
  } catch (error) {
    if (isProtocolError(error)) return `${error.number} ${error.message}`
  }
  throw new Error('It was accepted')
}

describe('parsing a message', () => {
  test('keeps an id as it was written: a number, a string, or a string of digits', () => {
    for (const id of [0, 7, -1, Number.MAX_SAFE_INTEGER, '', '7', 'a-1']) {
      expect(toMessage({ jsonrpc: '2.0', id, method: 'ping' })).toEqual({
        jsonrpc: '2.0',
        id,
        method: 'ping',
      })
    }
  })

  test('refuses ids that MCP does not have', () => {
    expect(refusal('{"jsonrpc":"2.0","id":null,"method":"ping"}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "id" must be a string or an integer; received {"jsonrpc":"2.0","id":null,"method":"ping"}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":1.5,"method":"ping"}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "id" must be a string or an integer; received {"jsonrpc":"2.0","id":1.5,"method":"ping"}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":{},"method":"ping"}')).toContain('-32600')
    expect(refusal('{"jsonrpc":"2.0","id":9007199254740993,"result":{}}')).toContain('-32600')
  })

  test('takes an error that answers an unreadable request, with id null or none', () => {
    const error = { code: -32700, message: 'Parse error' }
    expect(toMessage({ jsonrpc: '2.0', id: null, error })).toHaveProperty('error', error)
    expect(toMessage({ jsonrpc: '2.0', error })).toHaveProperty('error', error)
  })

  test('returns the same object, with every unknown member untouched', () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', nothing: null, no: false, deep: [{ extra: 1 }] },
      ours: { later: true },
    }
    expect(toMessage(message)).toBe(message)
  })

  test('leaves a __proto__ member an ordinary member', () => {
    const message = parseMessage(
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"admin":true}},"__proto__":{"id":2}}',
    )
    expect(Object.getOwnPropertyNames(message)).toContain('__proto__')
    expect(message).toHaveProperty('id', 1)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    expect(JSON.stringify(message)).toContain('"__proto__":{"admin":true}')
  })

  test('refuses a batch', () => {
    expect(refusal('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toMatchInlineSnapshot(
      `"-32600 Invalid request: expected a JSON object; received [{"jsonrpc":"2.0","id":1,"method":"ping"}]"`,
    )
  })

  test('says which member is wrong', () => {
    expect(refusal('{"id":1,"method":"ping"}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "jsonrpc" must be "2.0"; received {"id":1,"method":"ping"}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","method":7}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "method" must be a string; received {"jsonrpc":"2.0","method":7}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","method":"x","params":[]}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "params" must be an object; received {"jsonrpc":"2.0","method":"x","params":[]}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":1}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: expected "method", "result" or "error"; received {"jsonrpc":"2.0","id":1}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":1,"result":"x"}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "result" must be an object; received {"jsonrpc":"2.0","id":1,"result":"x"}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":1,"result":{},"error":{}}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: a response holds "result" or "error", not both; received {"jsonrpc":"2.0","id":1,"result":{},"error":{}}"`,
    )
    expect(refusal('{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}')).toMatchInlineSnapshot(
      `"-32600 Invalid request: "error" must hold a number "code" and a string "message"; received {"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"`,
    )
  })

  test('tells the id of a request that it refuses, where there is one', () => {
    const refused = (text: string) => {
      try {
        return parseMessage(text)
      } catch (error) {
        return (error as ProtocolError).data
      }
    }
    expect(refused('{"jsonrpc":"2.0","id":"a","method":"x","params":1}')).toEqual({ id: 'a' })
    expect(refused('{"jsonrpc":"2.0","method":"x","params":1}')).toBeUndefined()
  })

  test('shows no more of an unreadable text than it takes to recognise it', () => {
    expect(refusal('{"a":')).toMatchInlineSnapshot(
      `"-32700 Parse error: the text is not JSON ({"a":)"`,
    )
    expect(refusal(`{${'x'.repeat(10_000)}`).length).toBeLessThan(200)
  })
})

describe('any text', () => {
  test('is the message that JSON.parse makes of it, or is refused with -32700 or -32600', () => {
    const members = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: fc.oneof(fc.string(), fc.jsonValue()),
        params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        result: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    const texts = fc.oneof(
      members.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(parseMessage(text)).toEqual(JSON.parse(text))
        } catch (error) {
          if (!isProtocolError(error)) throw error
          expect([-32700, -32600]).toContain(error.number)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
