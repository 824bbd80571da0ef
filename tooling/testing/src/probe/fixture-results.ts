import { awkwardMembers, awkwardStrings } from './fixture-text.ts'
import type { JsonObject } from './recording.ts'

const pixel = 'R0lGODlhAQABAAAAACw='
const hole = { nested: { deep: [null, false, 0, '', { deeper: null }] } }

/** What the tool `structured` answers, by the shape asked for. */
export const structuredResults: Record<string, JsonObject> = {
  object: {
    content: [
      {
        type: 'text',
        text: 'plain',
        annotations: { audience: ['user'], priority: 0, lastModified: null, 'x-unknown': hole },
        _meta: { 'example.test/block': hole },
        'x-unknown': hole,
      },
      { type: 'text', text: '' },
      { type: 'image', data: pixel, mimeType: 'image/gif', 'x-unknown': null },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      {
        type: 'resource_link',
        uri: 'urn:example:linked:1',
        name: 'linked',
        size: 0,
        'x-unknown': hole,
      },
      {
        type: 'resource',
        resource: { uri: 'ui://probe/panel.html', text: '<p>', mimeType: null, 'x-unknown': hole },
      },
      { type: 'example.test/hologram', planes: [hole], text: false },
    ],
    structuredContent: { tree: { left: { left: null } }, awkward: awkwardMembers, no: false },
    isError: false,
    _meta: { 'example.test/result': hole, progressToken: 'not a token', empty: {} },
    'x-unknown': hole,
  },
  array: { content: [], structuredContent: [1, [2, null], { three: hole }] },
  zero: { content: [{ type: 'text', text: '0' }], structuredContent: 0, _meta: {} },
  empty: { content: [] },
  failed: {
    content: [{ type: 'text', text: 'It failed, in its own words.' }],
    structuredContent: { reason: null },
    isError: true,
    _meta: { 'example.test/failed': true },
  },
}

/** What the tool `unicode` answers. */
export const unicodeResult: JsonObject = {
  content: Object.values(awkwardStrings).map((text) => ({ type: 'text', text })),
  structuredContent: { strings: awkwardStrings, members: awkwardMembers },
}

/** What the tool `fail` throws. */
export const failure: { code: number; message: string; data: JsonObject } = {
  code: -32050,
  message: 'The probe refuses: 😀 \u2028 "quoted"',
  data: { why: hole, awkward: awkwardMembers, list: [null, false] },
}

/** What the tool `ask` asks the client, by method. */
export const questions: Record<string, JsonObject> = {
  'elicitation/create': {
    mode: 'form',
    message: 'Which city? 😀',
    requestedSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', title: 'City', default: '', 'x-unknown': hole },
        sure: { type: 'boolean', default: false },
      },
      required: ['city'],
    },
    _meta: { 'example.test/question': hole },
    'x-unknown': hole,
  },
  'sampling/createMessage': {
    messages: [
      { role: 'user', content: { type: 'text', text: 'Say hi.', 'x-unknown': hole } },
      { role: 'user', content: [{ type: 'text', text: 'Twice.', annotations: { priority: 0 } }] },
    ],
    systemPrompt: '',
    temperature: 0,
    maxTokens: 16,
    stopSequences: [],
    metadata: { 'x-unknown': hole },
    modelPreferences: { hints: [{ name: 'small' }], costPriority: 0, 'x-unknown': null },
  },
  'roots/list': { _meta: { 'example.test/question': hole } },
}

/** What a judge's client answers to those questions, by method. */
export const answers: Record<string, JsonObject> = {
  'elicitation/create': {
    action: 'accept',
    content: { city: 'Oslo 😀', sure: false, 'x-unknown': null },
    _meta: { 'example.test/answer': hole },
    'x-unknown': hole,
  },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'hi \u2028', _meta: { deep: hole }, 'x-unknown': hole },
    model: 'none',
    stopReason: 'example.test/bored',
    'x-unknown': [null],
  },
  'roots/list': {
    roots: [{ uri: 'file:///tmp/a%20b', name: 'a b', _meta: { deep: hole }, 'x-unknown': hole }],
    'x-unknown': hole,
  },
}
