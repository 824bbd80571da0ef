import type { JsonObject } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { answerForm } from '../src/chat/answer-form.ts'

/** Answers a form by typing these lines; what was said and asked is noted. */
async function fillIn(params: JsonObject, typed: readonly (string | undefined)[]) {
  const said: string[] = []
  const opened: string[] = []
  const lines = [...typed]
  const answer = await answerForm(params, {
    say: (text) => void said.push(text),
    openUrl: (url) => void opened.push(url),
    ask: async (question) => {
      said.push(question)
      return lines.shift()
    },
  })
  expect(lines).toEqual([])
  return { answer, said, opened }
}

const form = (property: JsonObject, required = true): JsonObject => ({
  message: 'Well?',
  requestedSchema: {
    type: 'object',
    properties: { x: property },
    ...(required ? { required: ['x'] } : {}),
  },
})

test.each<[JsonObject, string, unknown]>([
  [{ type: 'string' }, ' Ann ', 'Ann'],
  [{ type: 'string', format: 'email' }, 'a@example.com', 'a@example.com'],
  [{ type: 'string', format: 'uri' }, 'https://example.com', 'https://example.com'],
  [{ type: 'string', format: 'date' }, '2026-02-28', '2026-02-28'],
  [{ type: 'string', format: 'date-time' }, '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
  [{ type: 'number' }, '-1.5e3', -1500],
  [{ type: 'integer', minimum: 0 }, '0', 0],
  [{ type: 'boolean' }, 'No', false],
  [{ type: 'boolean', default: false }, '', false],
  [{ type: 'string', default: '' }, '', ''],
  [{ type: 'string', enum: ['1', '3', '2'] }, '2', '2'],
  [{ type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] }, 'large', 'l'],
  [{ type: 'string', oneOf: [{ const: 'a', title: 'Ay' }, { const: 'b' }] }, '2', 'b'],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }, '3, a,a', ['c', 'a']],
])('a field %j to which one types %j is %j', async (property, typed, value) => {
  const { answer } = await fillIn(form(property), [typed])
  expect(answer).toEqual({ action: 'accept', content: { x: value } })
})

test.each<[JsonObject, string, string]>([
  [{ type: 'string' }, '', 'expected text'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'expected text, at most 2 characters'],
  [{ type: 'string', format: 'email' }, 'ann', 'expected an e-mail address'],
  [{ type: 'string', format: 'uri' }, 'ann', 'expected a URI, e.g. https://example.com'],
  [{ type: 'string', format: 'date' }, '2026-02-30', 'expected a date, e.g. 2026-05-31'],
  [{ type: 'string', format: 'date-time' }, '2026', 'expected a time, e.g. 2026-05-31T12:00:00Z'],
  [{ type: 'integer' }, '1.5', 'expected a whole number'],
  [{ type: 'number', minimum: 1, maximum: 2 }, '3', 'expected a number, at least 1 and at most 2'],
  [{ type: 'number' }, 'many', 'expected a number'],
  [{ type: 'boolean' }, 'perhaps', 'expected y or n'],
  [{ type: 'string', enum: ['a', 'b'] }, '3', 'expected a number from 1 to 2'],
  [{ type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, 'a', 'expected at least 2 of them'],
  [
    { type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } },
    'a,b',
    'expected at most 1 of them',
  ],
])('a field %j does not take %j', async (property, typed, why) => {
  const { answer, said } = await fillIn(form(property), [typed, '/cancel'])
  expect(answer).toEqual({ action: 'cancel' })
  expect(said).toContain(`  That does not fit: ${why}.`)
})

test('what is optional may be left out, and what is refused or left says so', async () => {
  const optional = form({ type: 'string' }, false)
  expect((await fillIn(optional, [''])).answer).toEqual({ action: 'accept', content: {} })
  expect((await fillIn(optional, ['/decline'])).answer).toEqual({ action: 'decline' })
  expect((await fillIn(optional, [undefined])).answer).toEqual({ action: 'cancel' })
})

test('several fields are shown before they are sent, and may be taken back', async () => {
  const two = {
    message: 'Two',
    requestedSchema: {
      type: 'object',
      properties: { a: { type: 'string' }, __proto__x: { type: 'integer' } },
      required: ['a'],
    },
  }
  const { answer, said } = await fillIn(two, ['x', '3', 'n'])
  expect(said).toContain('  {"a":"x","__proto__x":3}')
  expect(answer).toEqual({ action: 'decline' })
  const sent = await fillIn(two, ['x', '3', 'yes'])
  expect(sent.answer).toEqual({ action: 'accept', content: { a: 'x', __proto__x: 3 } })
})

test('a member of any name is a member', async () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
  const { answer } = await fillIn({ message: 'm', requestedSchema: schema }, ['x'])
  expect(Object.keys(answer.content ?? {})).toEqual(['__proto__'])
})

test('nothing that a server says moves a cursor', async () => {
  const evil = 'a\u001b[2J\u202e\u0007'
  const { said } = await fillIn(
    {
      message: `${evil}\nsecond line`,
      requestedSchema: {
        type: 'object',
        properties: {
          [evil]: {
            ...{ title: evil, description: evil, default: evil },
            oneOf: [{ const: evil, title: `${evil} too` }],
          },
        },
      },
    },
    ['/cancel'],
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(said.join('')).not.toMatch(/[\u001b\u0007\u202e]/)
  expect(said[0]).toBe('? a\\u001b[2J\\u202e\\u0007\nsecond line')
})

test('an address is shown whole, and opened with the person’s leave alone', async () => {
  const visit = { mode: 'url', message: 'Sign in', url: 'https://example.com/a?b=1' }
  const refused = await fillIn(visit, ['n'])
  expect(refused).toMatchObject({ answer: { action: 'decline' }, opened: [] })
  expect(refused.said).toContain('  At example.com: https://example.com/a?b=1')
  const opened = await fillIn(visit, ['y'])
  expect(opened).toMatchObject({ answer: { action: 'accept' }, opened: [visit.url] })
  expect(opened.answer).not.toHaveProperty('content')
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'nonsense']) {
    const { answer, opened: none } = await fillIn({ ...visit, url }, [])
    expect({ answer, none }).toEqual({ answer: { action: 'decline' }, none: [] })
  }
})

test('a question without fields is a yes or a no', async () => {
  const bare = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } }
  expect((await fillIn(bare, ['y'])).answer).toEqual({ action: 'accept', content: {} })
  expect((await fillIn(bare, [''])).answer).toEqual({ action: 'decline' })
})
