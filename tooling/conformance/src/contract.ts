import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js'

/** The schema of a form that a server asks its client to fill in. */
export type FormSchema = ElicitRequestFormParams['requestedSchema']

/** A red pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV file of no samples. */
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

/** What the suite's scenarios expect to read, in the words of its scenarios' descriptions. */
export const texts = {
  simple: 'This is a simple text response for testing.',
  embedded: 'This is an embedded resource content.',
  mixed: '{"test":"data","value":123}',
  failure: 'This tool intentionally returns an error for testing',
  logs: ['Tool execution started', 'Tool processing data', 'Tool execution completed'],
  staticText: 'This is the content of the static text resource.',
} as const

/** What the resource template `test://template/{id}/data` answers for an id. */
export function templateText(id: string): string {
  return JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
}

/** The form of `test_elicitation`. */
export const userForm: FormSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

/** The form of `test_elicitation_sep1034_defaults`: a default for each primitive type. */
export const defaultsForm: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

/** The form of `test_elicitation_sep1330_enums`: each way to write a choice. */
export const enumsForm: FormSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
}

/** The parts of `json_schema_2020_12_tool`'s input schema that a schema library cannot express. */
export const schemaKeywords: Record<string, unknown> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the JSON Schema keyword.
  then: { required: ['phone'] },
  else: { required: ['email'] },
}

function titled(noun: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((ordinal, index) => ({
    const: `value${index + 1}`,
    title: `${ordinal} ${noun}`,
  }))
}
