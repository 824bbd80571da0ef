import { tools } from './fixture-tools.ts'
import type { JsonObject } from './recording.ts'

/** Everything that a probe offers, as the JSON it sends. */
export interface Fixture {
  serverInfo: { name: string; version: string } & JsonObject
  capabilities: JsonObject
  instructions: string
  tools: readonly JsonObject[]
  resources: readonly JsonObject[]
  resourceTemplates: readonly JsonObject[]
  prompts: readonly JsonObject[]
  /** The items of each list, page by page. */
  pageSizes: Record<string, readonly number[]>
  /** The result of `resources/read`, or `undefined` for what is not there. */
  read(uri: string): JsonObject | undefined
  /** The result of `prompts/get`, or `undefined` for what is not there. */
  prompt(name: string, args: unknown): JsonObject | undefined
}

const hole = { nested: { deep: [null, false, 0, '', { deeper: null }] } }

/** What the probe offers; its URIs carry the tag, so that two probes can stand behind one gateway. */
export function createFixture(tag: string): Fixture {
  return {
    serverInfo: { name: 'probe', title: 'Probe 😀', version: '1.0.0', 'x-unknown': hole },
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      experimental: { 'example.test/feature': hole },
    },
    instructions: 'Ask the probe for anything. Not a template: $' + '{HOME}.',
    tools,
    resources: resources(tag),
    resourceTemplates: templates(tag),
    prompts,
    pageSizes: {
      'tools/list': [5, 5, 3],
      'resources/list': [2, 2],
      'resources/templates/list': [1, 1],
      'prompts/list': [1, 2],
    },
    read: (uri) => read(tag, uri),
    prompt: (name, args) =>
      prompts.some((prompt) => prompt.name === name) ? promptResult(name, args) : undefined,
  }
}

function resources(tag: string): JsonObject[] {
  return [
    {
      uri: `${tag}://notes/1`,
      name: 'note',
      title: 'Note 😀',
      description: '',
      mimeType: 'text/plain',
      size: 0,
      annotations: { audience: [], priority: 0, lastModified: null, 'x-unknown': hole },
      _meta: { 'example.test/resource': hole },
      'x-unknown': hole,
    },
    { uri: `urn:${tag}:opaque%20one`, name: 'opaque' },
    { uri: `ui://${tag}/panel.html`, name: 'panel', mimeType: 'text/html;profile=mcp-app' },
    { uri: `file:///${tag}/a%20b.bin`, name: 'a b', icons: [{ src: 'data:,', theme: null }] },
  ]
}

function templates(tag: string): JsonObject[] {
  return [
    {
      uriTemplate: `${tag}://items/{id}{?view}`,
      name: 'item',
      title: null,
      _meta: { 'example.test/template': hole },
      'x-unknown': hole,
    },
    { uriTemplate: `file:///${tag}/tree{/path*}`, name: 'tree', annotations: { priority: 0 } },
  ]
}

const prompts: readonly JsonObject[] = [
  {
    name: 'greet',
    title: 'Greet 😀',
    description: '',
    arguments: [
      { name: 'city', title: null, description: 'City', required: true, 'x-unknown': hole },
      { name: 'tone', required: false },
    ],
    _meta: { 'example.test/prompt': hole },
    'x-unknown': hole,
  },
  { name: 'plain', arguments: [] },
  { name: 'bare' },
]

function read(tag: string, uri: string): JsonObject | undefined {
  const isFixed = resources(tag).some((resource) => resource.uri === uri)
  if (!isFixed && !uri.startsWith(`${tag}://items/`) && !uri.startsWith(`file:///${tag}/tree/`)) {
    return undefined
  }
  return {
    contents: [
      {
        uri,
        mimeType: 'text/plain',
        text: `Contents of ${uri} 😀\u2028`,
        _meta: { 'example.test/contents': hole },
        'x-unknown': hole,
      },
      { uri: `${uri}#part`, blob: 'AAECAw==', mimeType: null },
    ],
    _meta: { 'example.test/read': hole },
    'x-unknown': hole,
  }
}

function promptResult(name: string, args: unknown): JsonObject {
  return {
    description: '',
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${name} ${JSON.stringify(args)}`, 'x-unknown': hole },
        'x-unknown': hole,
      },
      { role: 'assistant', content: { type: 'example.test/hologram', planes: [null] } },
    ],
    _meta: { 'example.test/got': hole },
    'x-unknown': false,
  }
}
