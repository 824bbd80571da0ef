import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@mobius-mcp/protocol'

/** What a model was asked. */
export interface AskedModel {
  readonly model: string
  /** The instructions. */
  readonly system: string
  /** What was said last, or what the last call came to. */
  readonly last: string
  /** Whether a tool said it. */
  readonly isResult: boolean
  readonly tools: readonly string[]
  readonly authorization: string
}

/** A text, one after some thought, or one call. */
export type Answer =
  | string
  | { readonly thought: string; readonly text: string }
  | { readonly call: string; readonly args?: JsonObject }

export interface ModelEndpoint extends AsyncDisposable {
  readonly baseUrl: string
  readonly asked: readonly AskedModel[]
}

/** An endpoint that speaks Chat Completions and answers by a script, on a port of its own. */
export async function openModelEndpoint(
  script: (asked: AskedModel) => Answer | Promise<Answer>,
): Promise<ModelEndpoint> {
  const asked: AskedModel[] = []
  const server = createServer(async (request, response) => {
    const question = toAsked(JSON.parse(await bodyOf(request)), request)
    // Titles are asked for beside the turn.
    const isTitle = question.system.includes('title')
    if (!isTitle) asked.push(question)
    const answer = isTitle ? 'A title' : await script(question)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunksOf(answer)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

function toAsked({ model, messages, tools = [] }: ChatBody, request: IncomingMessage): AskedModel {
  const last = messages.at(-1)
  return {
    model,
    system: textOf(messages.find(({ role }) => role === 'system')?.content),
    last: textOf(last?.content),
    isResult: last?.role === 'tool',
    tools: tools.map(({ function: { name } }) => name),
    authorization: request.headers.authorization ?? '',
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '')
  return content.map(({ text }: { text?: string }) => text ?? '').join('')
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
function chunksOf(answer: Answer): JsonObject[] {
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  if (typeof answer === 'string') {
    const half = Math.ceil(answer.length / 2)
    const parts = [answer.slice(0, half), answer.slice(half)]
    return [...parts.map((content) => chunk({ role: 'assistant', content })), chunk({}, 'stop')]
  }
  if ('thought' in answer) {
    // As DeepSeek's and llama.cpp's endpoints have it.
    return [chunk({ reasoning_content: answer.thought }), ...chunksOf(answer.text)]
  }
  const { call: name, args = {} } = answer
  const call = { index: 0, id: 'call_1', type: 'function' }
  const made = { ...call, function: { name, arguments: JSON.stringify(args) } }
  return [chunk({ role: 'assistant', tool_calls: [made] }), chunk({}, 'tool_calls')]
}
