import { expect, test } from 'vitest'
import { parseChallenge } from '../src/challenge.ts'

test.each([
  [null, {}],
  ['Basic realm="x"', {}],
  ['Bearer', {}],
  [
    'Bearer realm="x", scope="a b", error="invalid_token"',
    { scope: 'a b', error: 'invalid_token' },
  ],
  [
    'bearer SCOPE=a,resource_metadata=https://a.example/m',
    { scope: 'a', resourceMetadata: 'https://a.example/m' },
  ],
  ['Basic realm="scope=\\"no\\"", Bearer scope="yes"', { scope: 'yes' }],
  ['Bearer scope="say \\"a\\"", DPoP scope="other"', { scope: 'say "a"' }],
])('of %s is understood what asks for a bearer token', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected)
})
