import type { JsonObject } from '@mobius-mcp/protocol'
import { ModelError } from './errors.ts'
import type { ModelEvent } from './events.ts'
import type { LocalServer } from './local-servers.ts'
import type { Model } from './model.ts'
import { readArguments } from './read-arguments.ts'
import type { ModelRequest, ModelTool, ToolCallPart, ToolMessage } from './request.ts'

/** What the console knows of the configuration. */
export interface ConsoleOptions {
  /** Providers that are configured though no model of theirs is the default. */
  readonly providers?: readonly string[]
  /** Finds model servers that a person may want to configure. It is asked when somebody finds that there is no model. */
  readonly offers?: () => Promise<readonly LocalServer[]>
}

/** What it says, or the call that it wants made. */
type Answer = { readonly text: string } | { readonly call: Omit<ToolCallPart, 'type' | 'id'> }

const help = `This is the console, not a language model. It understands:

/tools                        lists the tools
/call server/tool {"a": 1}    calls a tool, with its arguments as JSON
/read server uri              reads a resource
/help                         says this`

/**
 * The model of those who have none. It says so plainly, and turns what a person types after a `/` into calls that go the way
 * of any other. What tools return is shown and never read as a command.
 */
export function createConsoleModel(options: ConsoleOptions = {}): Model {
  return {
    name: 'console',
    async *stream(request, { signal } = {}) {
      if (signal?.aborted) yield cancelled()
      else yield* say(request, await answer(request, options))
    },
  }
}

function cancelled(): ModelEvent {
  const error = new ModelError('CANCELLED', 'Whoever asked for it stopped it.')
  return { type: 'error', error, message: { role: 'assistant', content: [] } }
}

async function answer(request: ModelRequest, options: ConsoleOptions): Promise<Answer> {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return { text: showResults(last) }
  const first = last?.role === 'user' ? last.content[0] : undefined
  const typed = first?.type === 'text' ? first.text.trim() : ''
  const [, command = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(typed) ?? []
  switch (command) {
    case '':
      return {
        text: typed === '/' ? help : `${noModel(options)}${await offer(options)}\n\n${help}`,
      }
    case 'tools':
      return { text: listTools(request.tools ?? []) }
    case 'call':
      return readCall(rest, request.tools ?? [])
    case 'read':
      return readResource(rest, request.tools ?? [])
    case 'help':
      return { text: help }
    default:
      return { text: `There is no command /${command}.\n\n${help}` }
  }
}

function noModel({ providers = [] }: ConsoleOptions): string {
  const known =
    providers.length === 0
      ? 'Add a provider under `providers`, and under `models` name one of its models as `default`'
      : `Name a model of one of your providers (${providers.join(', ')}) as \`default\` under \`models\``
  return `No language model is configured, so nobody can answer this. ${known}: for instance \`default: ollama/llama3.2\`.`
}

async function offer({ offers }: ConsoleOptions): Promise<string> {
  // What could not be found is not offered; that is no reason to say nothing else.
  const found = (await offers?.().catch(() => [])) ?? []
  return found
    .map(({ name, settings, models }) => {
      const example = JSON.stringify({ [name]: settings })
      return `\n\nA model server answers at ${settings.baseUrl}. To use it: providers: ${example}, and default: ${name}/${models[0]}. Its models: ${models.slice(0, 20).join(', ')}.`
    })
    .join('')
}

function readCall(text: string, tools: readonly ModelTool[]): Answer {
  const [, target = '', json = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? []
  if (target === '')
    return { text: 'Which tool? Expected /call server/tool {json}; /tools lists them.' }
  const tool =
    tools.find((one) => one.target === target) ?? tools.find(({ name }) => name === target)
  if (!tool) return { text: `There is no tool ${target}. /tools lists those that there are.` }
  const read = readArguments(json)
  if (read.invalid)
    return { text: `The arguments of ${target} could not be read. ${read.invalid.reason}` }
  return { call: { name: tool.name, arguments: read.arguments } }
}

function readResource(text: string, tools: readonly ModelTool[]): Answer {
  const [server, uri, ...more] = text.split(/\s+/).filter(Boolean)
  if (!server || !uri || more.length > 0)
    return { text: 'Which resource? Expected /read server uri.' }
  if (!tools.some(({ name }) => name === 'read_resource')) {
    return { text: 'Resources cannot be read here: there is no tool read_resource.' }
  }
  return { call: { name: 'read_resource', arguments: { server, uri } satisfies JsonObject } }
}

function listTools(tools: readonly ModelTool[]): string {
  if (tools.length === 0) return 'There are no tools here.'
  return tools
    .map(({ name, target, description }) => {
      const [line = ''] = (description ?? '').split('\n')
      return line ? `${target ?? name}: ${line}` : (target ?? name)
    })
    .join('\n')
}

function showResults({ content }: ToolMessage): string {
  return content
    .map((result) => {
      const said = result.content.map((part) =>
        part.type === 'text'
          ? part.text
          : `[${part.mediaType}${part.filename ? ` ${part.filename}` : ''}]`,
      )
      const text = said.join('\n') || 'Nothing was returned.'
      return result.isError ? `${result.name} failed: ${text}` : text
    })
    .join('\n\n')
}

function* say(request: ModelRequest, said: Answer): Generator<ModelEvent, void, undefined> {
  // It costs nothing, and that is known.
  const usage = { inputTokens: 0, outputTokens: 0 }
  if ('text' in said) {
    yield { type: 'text-delta', id: 'text-0', text: said.text }
    const message = { role: 'assistant', content: [{ type: 'text', text: said.text }] } as const
    yield { type: 'finish', reason: 'stop', message, usage, cost: 0 }
    return
  }
  // The conversation grows with each call, so the number is new each time.
  const call: ToolCallPart = {
    type: 'tool-call',
    id: `console-${request.messages.length}`,
    ...said.call,
  }
  yield { type: 'tool-call-start', id: call.id, name: call.name }
  yield { type: 'tool-call', call }
  yield {
    type: 'finish',
    reason: 'tool-calls',
    message: { role: 'assistant', content: [call] },
    usage,
    cost: 0,
  }
}
