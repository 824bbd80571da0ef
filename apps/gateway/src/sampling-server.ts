import type { ModelSource } from '@mobius-mcp/agent-server'
import type { Configuration } from '@mobius-mcp/config'
import type { AssistantPart, FilePart, Model, ModelMessage, TextPart } from '@mobius-mcp/models'
import {
  type CallResult,
  defineServer,
  isObject,
  type JsonObject,
  ProtocolError,
  type ServerDefinition,
  type Session,
  tool,
  uncheckedSchema,
} from '@mobius-mcp/protocol'
import type { Sample } from '@mobius-mcp/tools-service'
import { chooseModel } from './choose-model.ts'
import { version } from './version.ts'

/** The server whose tool `ask` answers what servers ask a model: rules, hooks and the record see it like any call. */
export const samplingServerName = 'sampling'

/** Tokens that one server may use up in one session. */
const budget = 200_000
/** The longest answer, whatever a server asks for. */
const longest = 16_384

export interface SamplingOptions {
  /** The configuration of the moment. */
  current(): Pick<Configuration, 'agents' | 'models'>
  models(): Promise<ModelSource>
  /** Makes the blocks of MCP into parts of a question. */
  toParts(content: CallResult): Promise<readonly (TextPart | FilePart)[]>
}

/** Has a server's question answered by a call, under the one that led to it. */
export const sampleByCall: Sample = async ({ server, params, caller, signal }) => {
  const target = { server: samplingServerName, tool: 'ask' }
  const { structuredContent, content } = await caller.call(
    target,
    { server, ...params },
    signal ? { signal } : {},
  )
  if (isObject(structuredContent)) return structuredContent
  throw new ProtocolError('INTERNAL_ERROR', content.map(({ text }) => String(text)).join('\n'))
}

/** Makes the server. Clients do not see it. */
export function createSamplingServer(options: SamplingOptions): ServerDefinition {
  const spent = new WeakMap<Session, Map<string, number>>()
  return defineServer({
    name: samplingServerName,
    version,
    title: 'Sampling',
    instance: 'process',
    visibility: 'agents',
    tools: {
      ask: tool({
        description:
          'Answers what a server asks a model: the params of sampling/createMessage, and the name of the server.',
        input: uncheckedSchema({
          type: 'object',
          properties: { server: { type: 'string' } },
          required: ['server', 'messages', 'maxTokens'],
        }),
        async run(params: JsonObject, { session, principal, signal }) {
          const server = String(params.server)
          const used = spent.get(session.root) ?? new Map<string, number>()
          spent.set(session.root, used)
          const before = used.get(server) ?? 0
          if (before >= budget) {
            throw new Error(
              `The server "${server}" has used up the ${budget} tokens that it may ask of models in one session.`,
            )
          }
          const name = chooseModel(options.current(), params.modelPreferences)
          if (name === undefined) throw new Error('No model is configured that could answer.')
          const source = await options.models()
          const model = source.model(name, { principal, client: undefined })
          const { result, tokens } = await answer(model, params, { options, signal })
          used.set(server, before + tokens)
          return { content: [], structuredContent: result }
        },
      }),
    },
  })
}

async function answer(
  model: Model,
  params: JsonObject,
  { options, signal }: { readonly options: SamplingOptions; readonly signal: AbortSignal },
): Promise<{ result: JsonObject; tokens: number }> {
  if (params.tools !== undefined) {
    throw new ProtocolError('INVALID_PARAMS', 'Tools were offered, and sampling.tools was not.')
  }
  const { systemPrompt, temperature, stopSequences, maxTokens } = params
  const request = {
    messages: await toMessages(params.messages, options),
    maxOutputTokens: Math.min(typeof maxTokens === 'number' ? maxTokens : longest, longest),
    ...(typeof systemPrompt === 'string' && { instructions: systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(Array.isArray(stopSequences) && { stopSequences: stopSequences.map(String) }),
  }
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'error') throw event.error
    if (event.type !== 'finish') continue
    const { message, reason, usage } = event
    const result = {
      role: 'assistant',
      content: { type: 'text', text: textOf(message.content) },
      model: model.name,
      stopReason: reason === 'length' ? 'maxTokens' : 'endTurn',
    }
    return { result, tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) }
  }
  throw new Error(`The model ${model.name} did not answer.`)
}

/** @throws ProtocolError `INVALID_PARAMS` for what is no conversation. */
async function toMessages(
  messages: unknown,
  { toParts }: SamplingOptions,
): Promise<readonly ModelMessage[]> {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new ProtocolError('INVALID_PARAMS', 'Expected messages, received none')
  }
  const made: ModelMessage[] = []
  for (const message of messages.filter(isObject)) {
    const { role, content } = message
    const blocks = (Array.isArray(content) ? content : [content]).filter(isObject)
    const parts = await toParts({ content: blocks })
    made.push(role === 'assistant' ? { role, content: parts } : { role: 'user', content: parts })
  }
  return made
}

function textOf(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
