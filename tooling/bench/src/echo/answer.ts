/** A JSON-RPC message as far as the echo looks into it. */
export interface EchoMessage {
  id?: string | number
  method?: string
  params?: EchoParams
}

interface EchoParams {
  protocolVersion?: string
  name?: string
  arguments?: { text?: unknown }
  _meta?: { [key: string]: unknown }
}

/** What the `fail` tool answers; the correctness probe looks for exactly this. */
export const echoFailure = {
  code: -32050,
  message: 'The echo fails when it is asked to.',
  data: { detail: 'kept' },
} as const

/** A request whose `_meta` has this key gets its `_meta` back in the result's. */
export const echoMetaKey = 'bench/echo'

/** The echo tool as it is listed, with fields that a careless relay drops. */
export const echoTool = {
  name: 'echo',
  title: 'Echo',
  description: 'Answers with the text it was given.',
  inputSchema: {
    type: 'object',
    properties: { text: { $ref: '#/$defs/text' } },
    required: ['text'],
    $defs: { text: { type: 'string', description: 'What to say back.' } },
  },
  outputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
  _meta: { 'bench/kept': true },
} as const

const failTool = {
  name: 'fail',
  description: 'Answers with a JSON-RPC error that has a code and data of its own.',
  inputSchema: { type: 'object' },
} as const

/** What an echo server offers, computed once. */
export function listEchoTools(count: number): object[] {
  const more = Array.from({ length: Math.max(0, count - 2) }, (_, index) => ({
    ...echoTool,
    name: `echo-${index + 1}`,
  }))
  return [echoTool, failTool, ...more].slice(0, count)
}

/** Answers one request at once; a notification gets `undefined`. */
export function answerEcho(message: EchoMessage, tools: object[]): object | undefined {
  if (message.id === undefined) return undefined
  const params = message.params ?? {}
  switch (message.method) {
    case 'tools/call':
      return params.name === 'fail'
        ? { jsonrpc: '2.0', id: message.id, error: echoFailure }
        : { jsonrpc: '2.0', id: message.id, result: echoResult(params) }
    case 'tools/list':
      return { jsonrpc: '2.0', id: message.id, result: { tools } }
    case 'initialize':
      return { jsonrpc: '2.0', id: message.id, result: welcome(params.protocolVersion) }
    case 'ping':
      return { jsonrpc: '2.0', id: message.id, result: {} }
    default:
      return {
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32601, message: `The echo has no method ${String(message.method)}.` },
      }
  }
}

function echoResult(params: EchoParams): object {
  const text = String(params.arguments?.text)
  const result = { content: [{ type: 'text', text }], structuredContent: { text } }
  // Only when asked: a gateway may add to `_meta`, and its answers must not grow by that.
  if (params._meta?.[echoMetaKey] === undefined) return result
  return { ...result, _meta: { received: params._meta } }
}

function welcome(protocolVersion = '2025-11-25'): object {
  return {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench-echo', version: '1.0.0' },
  }
}
