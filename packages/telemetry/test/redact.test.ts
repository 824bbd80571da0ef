import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactText, showText } from '../src/index.ts'
import { redactFields } from '../src/log.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

describe('a text loses', () => {
  test.each([
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [redacted]'],
    ['authorization: basic dXNlcjpwYXNz', 'authorization: basic [redacted]'],
    ['got "Bearer abc123456789", refused', 'got "Bearer [redacted]", refused'],
    ['X-Api-Key: 0123456789abcdef', 'X-Api-Key: [redacted]'],
    ['{"access_token":"abc123def456"}', '{"access_token":"[redacted]"}'],
    ['{ "refreshToken": "abc123def456" }', '{ "refreshToken": "[redacted]" }'],
    ['GITHUB_TOKEN=abc npx server', 'GITHUB_TOKEN=[redacted] npx server'],
    ['--api-key=abc --verbose', '--api-key=[redacted] --verbose'],
    ['https://a.example/mcp?key=abc&page=2', 'https://a.example/mcp?key=[redacted]&page=2'],
    ['https://a.example/?page=2&api_key=abc#x', 'https://a.example/?page=2&api_key=[redacted]#x'],
    ['http://127.0.0.1:1/cb?code=abc&state=s', 'http://127.0.0.1:1/cb?code=[redacted]&state=s'],
    ['http://127.0.0.1:1/#token=abc', 'http://127.0.0.1:1/#token=[redacted]'],
    ['(https://a.example/?sig=abc)', '(https://a.example/?sig=[redacted])'],
    ['https://anna:pass@a.example/', 'https://[redacted]@a.example/'],
    [`token ${jwt} is expired`, 'token [redacted] is expired'],
    ['ghp_0123456789abcdefghij', '[redacted]'],
    ['sk-proj-0123456789abcdef', '[redacted]'],
    ['Set-Cookie: session=0123456789', 'Set-Cookie: [redacted]'],
    ['{"password":"correct \\"horse\\" battery","x":"y"}', '{"password":"[redacted]","x":"y"}'],
    ["PASSWORD='correct horse' npx", "PASSWORD='[redacted]' npx"],
    ['"{\\"password\\":\\"correct horse\\"}"', '"{\\"password\\":\\"[redacted]"'],
    ['DB_PASSWORD=[x', 'DB_PASSWORD=[redacted]'],
    ['"token": "abc', '"token": "[redacted]"'],
    ['Cookie: a=b; session=abc', 'Cookie: [redacted]'],
    ['{"cookie":"a=b; c=d","x":1}', '{"cookie":"[redacted]","x":1}'],
    ['Authorization: abcdef', 'Authorization: [redacted]'],
    ['authorization: ApiKey abcdef, retry', 'authorization: ApiKey [redacted], retry'],
    ['npx server --api-key abcdef --verbose', 'npx server --api-key [redacted] --verbose'],
    ['server --token --verbose', 'server --token --verbose'],
    ['sk_live_0123456789abcdef', '[redacted]'],
    ['glpat-0123456789abcdefghij', '[redacted]'],
    [`AIza${'x'.repeat(35)}`, '[redacted]'],
    [
      'a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY----- b',
      'a [redacted] b',
    ],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', '[redacted]'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown)
    expect(redactText(shown)).toBe(shown)
  })

  test.each([
    'Could not start "github": the command npx was not found.',
    'token: expected a string, received nothing',
    'The access token has expired; run `mobius login github`.',
    'max_tokens: 5',
    'https://a.example/mcp?page=2&sort=name',
    'a key such as "name" is missing',
    'npm_config_registry is set',
    'task-management and disk-usage',
  ])('nothing where there is nothing to hide: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  test('nothing but its secret, whatever stands around it', () => {
    const around = fc.string({ unit: fc.constantFrom(...'ab ?&#="\'{}:/.,;\n'.split('')) })
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(redactText(`${before} ghp_0123456789abcdef ${after}`)).not.toContain('ghp_0123')
      }),
    )
  })

  test('its end where it is very long, in little time whatever it is', () => {
    const evil = [
      'token=',
      '--token ',
      '-----BEGIN PRIVATE KEY-----',
      'cookie:',
      'authorization: x ',
      'a.',
      'eyJ',
      '://',
      '"token" :',
      '-token',
      'Bearer ',
    ].map((piece) => piece.repeat(100_000))
    for (const text of evil) expect(redactText(text).length).toBeLessThan(15_000)
  })
})

/** As the configuration's own type for what came from a variable or a secret reference. */
class Secret {
  readonly #text = 'hidden-text'
  reveal = () => this.#text
  toJSON = () => '[redacted]'
  toString = () => '[redacted]'
}

describe('fields lose', () => {
  test('what goes by the name of a secret, at any depth, but not counts', () => {
    expect(
      redactFields({
        server: 'github',
        token: 'abc',
        Authorization: 'abc',
        tokens: 5,
        options: [{ clientSecret: 'abc', url: 'https://a.example/?token=abc' }],
        env: { PATH: '/bin', HOME: '/root' },
        headers: { 'x-custom': 'abc' },
        header: 'x-custom: abc',
      }),
    ).toEqual({
      server: 'github',
      token: '[redacted]',
      Authorization: '[redacted]',
      tokens: 5,
      options: [{ clientSecret: '[redacted]', url: 'https://a.example/?token=[redacted]' }],
      env: { PATH: '[redacted]', HOME: '[redacted]' },
      headers: { 'x-custom': '[redacted]' },
      header: '[redacted]',
    })
  })

  test('arguments and results of calls', () => {
    expect(redactFields({ call: { params: { a: 1 }, arguments: { a: 1 }, result: {} } })).toEqual({
      call: { params: '[not logged]', arguments: '[not logged]', result: '[not logged]' },
    })
  })

  test('what redacts itself, wherever it stands', () => {
    const secret = new Secret()
    const shown = redactFields({ a: secret, list: [secret], text: `it is ${secret}` })
    expect(shown).toEqual({ a: '[redacted]', list: ['[redacted]'], text: 'it is [redacted]' })
    expect(JSON.stringify(shown)).not.toContain(secret.reveal())
  })

  test('nothing of errors but their secrets', () => {
    const cause = new Error('401 for Bearer abcdefgh')
    const error = new AggregateError([cause], 'no server', { cause })
    const shown = { name: 'Error', message: '401 for Bearer [redacted]' }
    expect(redactFields({ error })).toMatchObject({
      error: { name: 'AggregateError', message: 'no server', cause: shown, errors: [shown] },
    })
  })

  test('what no JSON holds, and never throw', () => {
    const circle: Record<string, unknown> = { n: 1n, f: () => 1, s: Symbol('x'), u: undefined }
    for (let index = 0; index < 100; index += 1) circle[`self${index}`] = circle
    const shown = redactFields({
      circle,
      bytes: new Uint8Array(5),
      date: new Date(0),
      thrower: Object.defineProperty({}, 'x', { enumerable: true, get: () => JSON.parse('') }),
      get unreadable() {
        return JSON.parse('')
      },
    })
    expect(shown).toMatchObject({
      bytes: '[5 bytes]',
      date: '1970-01-01T00:00:00.000Z',
      thrower: '[unreadable]',
      unreadable: '[unreadable]',
      circle: { n: '1' },
    })
    expect(JSON.stringify(shown).length).toBeLessThan(100_000)
  })
})

test('no text that is shown holds what a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect(showText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
    }),
  )
  expect(showText('a\tb\r\n\u001b[31m')).toBe('a\\tb\\r\\n\\u001b[31m')
  expect(showText('Zürich 🎈')).toBe('Zürich 🎈')
  expect(showText('x'.repeat(600))).toBe(`${'x'.repeat(500)}…`)
})
