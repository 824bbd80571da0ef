import type { JsonObject } from './recording.ts'
import { asObject, ProbeError, type ProbeRequest } from './session.ts'
import { callTool } from './tool-calls.ts'

const lists: Record<string, 'tools' | 'resources' | 'resourceTemplates' | 'prompts'> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}

const cities = ['Oslo', 'Osaka', 'Bergen', '😀ville']

/** Answers one request of any method but `initialize` and `ping`, which are the SDK's. */
export function answerRequest(
  method: string,
  request: ProbeRequest,
): Promise<JsonObject> | JsonObject {
  const { params, session } = request
  const uri = String(params.uri)
  switch (method) {
    case 'tools/call':
      return callTool(request)
    case 'resources/read':
      return session.fixture.read(uri) ?? missing(uri)
    case 'resources/subscribe':
      session.subscriptions.add(uri)
      return {}
    case 'resources/unsubscribe':
      session.subscriptions.delete(uri)
      return {}
    case 'prompts/get':
      return getPrompt(request)
    case 'completion/complete':
      return complete(params)
    case 'logging/setLevel':
      session.level = String(params.level)
      return {}
    default:
      return method in lists ? listPage(method, request) : unknownMethod(method)
  }
}

function listPage(method: string, { params, session }: ProbeRequest): JsonObject {
  const member = lists[method] ?? 'tools'
  const items = member === 'tools' ? session.tools : session.fixture[member]
  const sizes = session.fixture.pageSizes[method] ?? []
  const cursors = sizes.map((_, page) => (page === 0 ? undefined : `${method} ${page}/😀==`))
  const page = cursors.indexOf(params.cursor as string | undefined)
  if (page < 0) {
    throw new ProbeError({ code: -32602, message: `Unknown cursor: ${params.cursor}` })
  }
  const start = sizes.slice(0, page).reduce((sum, size) => sum + size, 0)
  const next = cursors[page + 1]
  // What was added since stands on the last page.
  const end = next === undefined ? undefined : start + (sizes[page] ?? 0)
  return { [member]: items.slice(start, end), ...(next === undefined ? {} : { nextCursor: next }) }
}

function getPrompt({ params, session }: ProbeRequest): JsonObject {
  const name = String(params.name)
  const result = session.fixture.prompt(name, params.arguments)
  if (result === undefined) {
    throw new ProbeError({ code: -32602, message: `Unknown prompt: ${name}` })
  }
  return result
}

function complete(params: JsonObject): JsonObject {
  const { name, value } = asObject(params.argument)
  const values = cities.filter((city) => city.startsWith(String(value)))
  return {
    completion: { values, total: values.length, hasMore: false, 'x-unknown': [null] },
    _meta: { 'example.test/completed': { name, ref: params.ref, context: params.context } },
    'x-unknown': { nested: [null, false] },
  }
}

function missing(uri: string): never {
  throw new ProbeError({ code: -32002, message: 'Resource not found', data: { uri, why: [null] } })
}

function unknownMethod(method: string): never {
  throw new ProbeError({ code: -32601, message: `Unknown method: ${method}` })
}
