import type { JsonObject } from './recording.ts'

const open = { type: 'object', additionalProperties: true }
const hole = { nested: { deep: [null, false, 0, '', { deeper: null }] } }

/** The probe's thirteen tools, as JSON. Each says something that a careless hop drops. */
export const tools: readonly JsonObject[] = [
  {
    name: 'echo',
    title: 'Echo 😀',
    description:
      'Answers with its arguments and _meta. Not a template: $' + '{HOME} {{HOME}} $(id).',
    inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...open },
    annotations: { title: 'Echo', readOnlyHint: true, openWorldHint: false },
    icons: [{ src: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png', sizes: ['any'] }],
    _meta: { 'example.test/tool': hole, plain: 1 },
    'x-unknown': hole,
  },
  {
    name: 'unicode',
    description: 'Text that a careless hop bends: \u2028 \u2029 \u0000 \ud83d 😀',
    inputSchema: { type: 'object' },
  },
  {
    name: 'structured',
    title: 'Structured',
    description: 'Structured results of the asked shape.',
    inputSchema: {
      type: 'object',
      properties: { shape: { $ref: '#/$defs/Shape' }, tree: { $ref: '#/$defs/Tree' } },
      required: [],
      $defs: {
        Shape: { type: 'string', enum: ['object', 'array', 'zero', 'empty', 'failed'] },
        Tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
          'x-unknown': hole,
        },
      },
      additionalProperties: false,
      'x-unknown': hole,
    },
    outputSchema: {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Tree' } },
      $defs: { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } },
      additionalProperties: true,
    },
    annotations: {
      title: null,
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: null,
      openWorldHint: false,
      'x-unknown': hole,
    },
    _meta: { 'example.test/ui': { resourceUri: 'ui://probe/panel.html' }, nothing: null },
  },
  {
    name: 'fail',
    description: '',
    inputSchema: { type: 'object', properties: {} },
    annotations: {},
  },
  {
    name: 'progress',
    inputSchema: {
      type: 'object',
      properties: {
        steps: { type: 'integer', minimum: 0, default: 10 },
        gate: { type: ['string', 'null'] },
        after: { type: 'integer' },
      },
    },
    annotations: null,
    _meta: {},
  },
  {
    name: 'wait',
    description: 'Never answers; notes when it starts and when it is aborted.',
    inputSchema: { type: 'object' },
    execution: { taskSupport: 'forbidden', 'x-unknown': hole },
  },
  {
    name: 'ask',
    description: 'Asks the client.',
    inputSchema: { type: 'object', properties: { method: { type: 'string' } } },
  },
  {
    name: 'grow',
    description: 'Adds a tool to this session.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: 'touch',
    description: 'Updates a resource.',
    inputSchema: { type: 'object', properties: { uri: { type: 'string', format: 'uri' } } },
  },
  {
    name: 'large',
    description: 'Answers with as many characters as asked for.',
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } } },
    _meta: { 'anthropic/maxResultSizeChars': 500000 },
  },
  {
    name: 'digest',
    description: 'Length and SHA-256 of a payload.',
    inputSchema: { type: 'object', properties: { payload: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { length: { type: 'integer' } } },
  },
  {
    name: 'state',
    description: 'Process, environment and latches of the probe.',
    inputSchema: { ...open, allOf: [{ not: { required: ['never'] } }], examples: [null] },
  },
  {
    name: 'log',
    description: 'Logs messages before it answers.',
    inputSchema: { ...open, 'x-unknown': [hole, null] },
    'x-last': false,
  },
]
