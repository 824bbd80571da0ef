import { expect, test } from 'vitest'
import { isStrictSchema } from '../src/strict-schema.ts'
import { toVendorSchema } from '../src/tool-schema.ts'

test('Google gets the keywords that it knows, and the others in words', () => {
  const original = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      kind: { const: 'file' },
      name: { type: 'string', description: 'Its name.', pattern: '^a', minLength: 1, default: 'a' },
      owner: { $ref: '#/definitions/person' },
      either: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
    },
    required: ['name'],
    definitions: {
      person: { type: 'object', properties: { age: { type: 'integer', exclusiveMinimum: 0 } } },
    },
  }
  const before = structuredClone(original)
  expect(toVendorSchema(original, 'google').schema).toEqual({
    type: 'object',
    properties: {
      kind: { enum: ['file'] },
      name: {
        type: 'string',
        description: 'Its name. (JSON Schema: {"pattern":"^a","minLength":1})',
      },
      owner: { $ref: '#/$defs/person' },
      either: {
        anyOf: [
          { type: 'string', description: '(JSON Schema: {"maxLength":3})' },
          { type: 'null' },
        ],
      },
    },
    required: ['name'],
    $defs: {
      person: {
        type: 'object',
        properties: {
          age: { type: 'integer', description: '(JSON Schema: {"exclusiveMinimum":0})' },
        },
      },
    },
  })
  expect(original).toEqual(before)
})

test('the others get it as it is', () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^a' } } }
  for (const dialect of ['openai-chat', 'openai-responses', 'anthropic'] as const) {
    expect(toVendorSchema(schema, dialect).schema).toEqual(schema)
  }
})

test('a property that is called like a keyword is a property', () => {
  const schema = {
    type: 'object',
    properties: {
      properties: { type: 'object', properties: { 'a b': { type: 'string' } } },
      required: { type: 'boolean' },
    },
    required: ['required'],
  }
  const { schema: vendor, names } = toVendorSchema(schema, 'anthropic')
  expect(Object.keys(vendor.properties as object)).toEqual(['properties', 'required'])
  expect(vendor.required).toEqual(['required'])
  const values = { properties: { 'a b': 'x' }, required: true }
  const theirs = names.toVendor(values)
  expect(JSON.stringify(theirs)).not.toContain('a b')
  expect(names.fromVendor(theirs)).toEqual(values)
})

test('strict is promised only for what strict mode takes as it is', () => {
  const city = { type: 'string' }
  const closed = {
    type: 'object',
    properties: { city },
    required: ['city'],
    additionalProperties: false,
  }
  expect(isStrictSchema(closed)).toBe(true)
  expect(isStrictSchema({ ...closed, required: [] })).toBe(false)
  expect(isStrictSchema({ ...closed, additionalProperties: true })).toBe(false)
  expect(isStrictSchema({ type: 'object' })).toBe(false)
  expect(isStrictSchema({ ...closed, properties: { city: { allOf: [city] } } })).toBe(false)
  expect(
    isStrictSchema({ ...closed, properties: { city: { type: 'array', items: closed } } }),
  ).toBe(true)
  expect(
    isStrictSchema({
      ...closed,
      properties: { city: { type: 'array', items: { type: 'object' } } },
    }),
  ).toBe(false)
  expect(isStrictSchema({ type: 'array', items: city })).toBe(false)
  expect(isStrictSchema({ ...closed, anyOf: [closed] })).toBe(false)
})
