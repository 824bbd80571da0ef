import { ProtocolError } from '../errors.ts'
import { negotiateVersion } from '../initialize.ts'
import type { JsonObject, NotificationMessage, RequestMessage } from '../message.ts'
import { isObject } from '../parse-message.ts'
import type { MessageContext, MessageHandler, Session } from '../session.ts'
import type { ChangedList, Parts, ServerOptions, ServerParts } from './define-server.ts'
import { page } from './paging.ts'
import { checkPromptArguments, describePrompt, toPromptResult } from './prompt.ts'
import {
  type Complete,
  describeResource,
  type Resource,
  type ResourceTemplate,
  toContents,
} from './resource.ts'
import { createTemplateMatcher, type TemplateMatcher } from './template-matcher.ts'
import type { Tool } from './tool.ts'
import { loggingLevels, parseLoggingLevel, ToolContext } from './tool-context.ts'
import { Watches } from './watches.ts'

/** The handler behind a server made by `defineServer`. */
export class DefinedServer implements MessageHandler {
  readonly #options: ServerOptions
  readonly #parts: ServerParts
  readonly #sessions = new Set<Session>()
  readonly #levels = new WeakMap<Session, number>()
  readonly #watches = new Watches()
  readonly #matchTemplate: TemplateMatcher
  readonly #methods: ReadonlyMap<string, Method>

  constructor(options: ServerOptions, parts: ServerParts, closing: AbortSignal) {
    this.#options = options
    this.#parts = parts
    const templates = Object.keys(parts.resourceTemplates ?? {})
    this.#matchTemplate = createTemplateMatcher(templates, (_, error) => {
      throw error
    })
    this.#methods = new Map(this.#answers())
    const stop = parts.watch?.((list) => this.#announce(list))
    if (stop) closing.addEventListener('abort', stop, { once: true })
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const params = message.params ?? {}
    if (message.method === 'tools/call') return this.#callTool(params, context)
    const answer = this.#methods.get(message.method)
    if (answer) return answer(params, context)
    if (!('id' in message)) return undefined
    throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${message.method}`)
  }

  #answers(): [string, Method][] {
    const { tools, prompts, resources, resourceTemplates, watch } = this.#parts
    const methods: [string, Method][] = [
      ['initialize', (params) => this.#initialize(params)],
      ['ping', () => ({})],
    ]
    if (watch) methods.push(['notifications/initialized', (_, context) => this.#join(context)])
    if (tools) methods.push(['tools/list', (params, context) => this.#listTools(params, context)])
    if (prompts) {
      methods.push(['prompts/list', (params, context) => this.#listPrompts(params, context)])
      methods.push(['prompts/get', (params, context) => this.#getPrompt(params, context)])
    }
    if (resources || resourceTemplates) {
      methods.push(['resources/list', (params, context) => this.#listResources(params, context)])
      methods.push(['resources/templates/list', (params) => this.#listTemplates(params)])
      methods.push(['resources/read', (params, context) => this.#read(params, context)])
      methods.push(['resources/subscribe', (params, context) => this.#subscribe(params, context)])
      methods.push([
        'resources/unsubscribe',
        (params, context) => this.#unsubscribe(params, context),
      ])
    }
    if (prompts || resourceTemplates) {
      methods.push(['completion/complete', (params, context) => this.#complete(params, context)])
    }
    if (this.#options.logging) {
      methods.push(['logging/setLevel', (params, context) => this.#setLevel(params, context)])
    }
    return methods
  }

  #initialize(params: JsonObject): JsonObject {
    const { name, version, title, icons, websiteUrl, instructions } = this.#options
    return {
      protocolVersion: negotiateVersion(params.protocolVersion),
      capabilities: this.#capabilities(),
      serverInfo: defined({ name, version, title, icons, websiteUrl }),
      ...defined({ instructions }),
    }
  }

  /** From now on the session is told of changes. */
  #join({ session }: MessageContext): void {
    if (this.#sessions.has(session) || session.ending.cancelled) return
    this.#sessions.add(session)
    session.ending.listen({ onCancel: () => this.#sessions.delete(session) })
  }

  #capabilities(): JsonObject {
    const { tools, prompts, resources, resourceTemplates, watch } = this.#parts
    const listChanged = watch ? { listChanged: true } : {}
    const capabilities: JsonObject = {}
    if (tools) capabilities.tools = listChanged
    if (prompts) capabilities.prompts = listChanged
    if (resources || resourceTemplates) {
      capabilities.resources = { subscribe: true, ...listChanged }
    }
    if (prompts || resourceTemplates) capabilities.completions = {}
    if (this.#options.logging) capabilities.logging = {}
    return capabilities
  }

  #callTool(params: JsonObject, context: MessageContext): unknown {
    const { name, arguments: args = {} } = params
    if (typeof name !== 'string') throw expected('name', 'a string', name)
    if (!isObject(args)) throw expected('arguments', 'an object', args)
    const { tools } = this.#parts
    if (typeof tools === 'function') {
      return Promise.resolve(tools(context)).then((found) =>
        this.#run(found, name, args, params, context),
      )
    }
    return this.#run(tools, name, args, params, context)
  }

  #run(
    tools: Readonly<Record<string, Tool>> | undefined,
    name: string,
    args: JsonObject,
    params: JsonObject,
    context: MessageContext,
  ): unknown {
    const found = own(tools, name)
    if (!found) throw new ProtocolError('INVALID_PARAMS', `Unknown tool: ${name}`)
    return found.call(name, args, this.#toolContext(context, params))
  }

  async #listTools(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const tools = await partsFor(this.#parts.tools, context)
    return this.#page(
      'tools',
      Object.entries(tools).map(([name, tool]) => tool.describe(name)),
      params,
    )
  }

  async #listPrompts(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const prompts = Object.entries(await partsFor(this.#parts.prompts, context))
    return this.#page(
      'prompts',
      prompts.map(([name, prompt]) => describePrompt(name, prompt)),
      params,
    )
  }

  async #getPrompt(params: JsonObject, context: MessageContext): Promise<unknown> {
    const { name, arguments: args = {} } = params
    if (typeof name !== 'string') throw expected('name', 'a string', name)
    if (!isObject(args)) throw expected('arguments', 'an object', args)
    const prompts = await partsFor(this.#parts.prompts, context)
    const prompt = own(prompts, name)
    if (!prompt) throw new ProtocolError('INVALID_PARAMS', `Unknown prompt: ${name}`)
    const given = checkPromptArguments(name, prompt, args)
    return toPromptResult(prompt, await prompt.get(given, this.#toolContext(context, params)))
  }

  async #listResources(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const resources = await partsFor(this.#parts.resources, context)
    const items = Object.entries(resources).map(([uri, each]) => describeResource('uri', uri, each))
    for (const template of Object.values(this.#parts.resourceTemplates ?? {})) {
      if (template.list) items.push(...(await template.list(this.#toolContext(context, params))))
    }
    return this.#page('resources', items, params)
  }

  #listTemplates(params: JsonObject): JsonObject {
    const templates = Object.entries(this.#parts.resourceTemplates ?? {})
    const items = templates.map(([id, each]) => describeResource('uriTemplate', id, each))
    return this.#page('resourceTemplates', items, params)
  }

  async #read(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    const toolContext = this.#toolContext(context, params)
    const found = await this.#find(uri, context)
    if ('variables' in found) {
      const value = await found.template.read(found.variables, toolContext, uri)
      if (value === undefined) throw noResource(uri)
      return toContents(uri, found.template.mimeType, value)
    }
    return toContents(uri, found.resource.mimeType, await found.resource.read(toolContext, uri))
  }

  async #find(uri: string, context: MessageContext): Promise<Found> {
    const resources = await partsFor(this.#parts.resources, context)
    const resource = own(resources, uri)
    if (resource) return { resource }
    const match = this.#matchTemplate(uri)
    const template = match && this.#parts.resourceTemplates?.[match.template]
    if (!template) throw isUri(uri) ? noResource(uri) : expected('uri', 'a URI', uri)
    return { template, variables: match.variables }
  }

  async #subscribe(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    const found = await this.#find(uri, context)
    const watched = 'variables' in found ? found.template : found.resource
    const begin = () => watch(watched, uri, this.#toolContext(context, params))
    this.#watches.add(context.session, uri, begin)
    return {}
  }

  #unsubscribe(params: JsonObject, context: MessageContext): JsonObject {
    this.#watches.end(context.session, uriOf(params))
    return {}
  }

  async #complete(params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const { ref, argument, context: given } = params
    if (!isObject(ref)) throw expected('ref', 'an object', ref)
    if (!isObject(argument)) throw expected('argument', 'an object', argument)
    const { name, value } = argument
    if (typeof name !== 'string') throw expected('argument.name', 'a string', name)
    if (typeof value !== 'string') throw expected('argument.value', 'a string', value)
    const complete = await this.#completerOf(ref, name, context)
    const earlier = isObject(given) && isObject(given.arguments) ? given.arguments : {}
    const values = (await complete?.(value, { arguments: earlier as Record<string, string> })) ?? []
    // MCP 2025-11-25, completion: at most 100 values in one answer.
    const shown = values.slice(0, 100)
    return {
      completion: { values: shown, total: values.length, hasMore: shown.length < values.length },
    }
  }

  async #completerOf(
    ref: JsonObject,
    argument: string,
    context: MessageContext,
  ): Promise<Complete | undefined> {
    if (ref.type === 'ref/prompt') {
      const name = String(ref.name)
      const prompts = await partsFor(this.#parts.prompts, context)
      const prompt = own(prompts, name)
      if (!prompt) throw new ProtocolError('INVALID_PARAMS', `Unknown prompt: ${name}`)
      return own(prompt.arguments, argument)?.complete
    }
    if (ref.type === 'ref/resource') {
      const uri = String(ref.uri)
      const template = own(this.#parts.resourceTemplates, uri)
      if (template) return own(template.complete, argument)
      throw new ProtocolError('INVALID_PARAMS', `Unknown resource template: ${uri}`)
    }
    throw expected('ref.type', '"ref/prompt" or "ref/resource"', ref.type)
  }

  #setLevel(params: JsonObject, context: MessageContext): JsonObject {
    this.#levels.set(context.session, parseLoggingLevel(params.level))
    return {}
  }

  #toolContext(context: MessageContext, params: JsonObject): ToolContext {
    const level = this.#options.logging
      ? (this.#levels.get(context.session) ?? 0)
      : loggingLevels.length
    return new ToolContext(context, params, level)
  }

  #page(member: string, items: readonly JsonObject[], params: JsonObject): JsonObject {
    return page(member, items, params, this.#options.pageSize ?? 1000)
  }

  #announce(list: ChangedList): void {
    for (const session of this.#sessions) session.notify(`notifications/${list}/list_changed`)
  }
}

type Method = (params: JsonObject, context: MessageContext) => unknown

type Found =
  | { resource: Resource }
  | { template: ResourceTemplate; variables: Record<string, string> }

async function partsFor<T>(
  parts: Parts<T> | undefined,
  context: MessageContext,
): Promise<Readonly<Record<string, T>>> {
  return typeof parts === 'function' ? await parts(context) : (parts ?? {})
}

/** A member of a record, not of what every object has. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

/** Apart, so that nothing of the subscribing call is kept for as long as the subscription. */
function watch(
  watched: Resource | ResourceTemplate,
  uri: string,
  context: ToolContext,
): () => void {
  const { session } = context
  const changed = () => session.notify('notifications/resources/updated', { uri })
  return watched.watch?.(uri, changed, context) ?? (() => {})
}

function uriOf(params: JsonObject): string {
  const { uri } = params
  if (typeof uri !== 'string') throw expected('uri', 'a string', uri)
  return uri
}

function isUri(text: string): boolean {
  return URL.canParse(text) && !/%(?![\da-f]{2})/i.test(text)
}

function noResource(uri: string): ProtocolError {
  return new ProtocolError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } })
}

function expected(member: string, what: string, received: unknown): ProtocolError {
  return new ProtocolError(
    'INVALID_PARAMS',
    `Invalid params: "${member}" must be ${what}, received ${JSON.stringify(received) ?? 'nothing'}`,
  )
}

function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
