import {
  createTemplateMatcher,
  isObject,
  isProtocolError,
  type JsonObject,
  type MessageContext,
  ProtocolError,
} from '@mobius-mcp/protocol'
import { type Owner, type Table, unwrapUri } from './naming.ts'
import type { PublicationHost } from './publication-host.ts'
import type { PublishedLists } from './published-lists.ts'
import { relayedCall } from './relayed-call.ts'
import type { Root } from './root.ts'

/** Finds whose a resource is, and passes requests about it on. */
export class ResourceRouter {
  readonly #host: PublicationHost
  readonly #lists: PublishedLists
  readonly #matchers = new WeakMap<Table, ReturnType<typeof createTemplateMatcher>>()

  constructor(host: PublicationHost, lists: PublishedLists) {
    this.#host = host
    this.#lists = lists
  }

  async read(root: Root, params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    const owner = await this.#ownerOf(root, uri, params)
    if (!owner) return await this.#askAround(root, uri, params, context)
    const result = await this.#send(owner, 'resources/read', params, context)
    return owner.name === uri ? result : renameContents(result, owner.name, uri)
  }

  async subscribe(root: Root, params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    const owner = (await this.#ownerOf(root, uri, params)) ?? this.#onlyServer(uri)
    if (!owner) throw notFound(uri)
    const result = await this.#send(owner, 'resources/subscribe', params, context)
    root.subscribe(owner.server, owner.name, uri)
    return result
  }

  async unsubscribe(root: Root, params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    // By now it may be on no list any more.
    const owner = root.subscribed(uri) ?? (await this.#ownerOf(root, uri, params))
    if (!owner) throw notFound(uri)
    root.unsubscribe(owner.server, owner.name)
    const connection = root.connections.get(owner.server)
    if (connection?.isWantedByOthers(root, owner.name)) return {}
    return await this.#send(owner, 'resources/unsubscribe', params, context)
  }

  async ownerOfTemplate(root: Root, template: string, params: JsonObject): Promise<Owner> {
    const templates = await this.#lists.table(root, 'resourceTemplates', params)
    const owner = templates.owners.get(template) ?? (await this.#ownerOf(root, template, params))
    if (owner) return owner
    throw new ProtocolError('INVALID_PARAMS', `Unknown resource template: ${template}`)
  }

  /** By the list, by a template that it follows, or by the server named in it. */
  async #ownerOf(root: Root, uri: string, params: JsonObject): Promise<Owner | undefined> {
    const resources = await this.#lists.table(root, 'resources', params)
    const listed = resources.owners.get(uri)
    if (listed) return listed
    const templates = await this.#lists.table(root, 'resourceTemplates', params)
    const match = this.#matcherOf(templates)(uri)
    const owner = match && templates.owners.get(match.template)
    if (owner) {
      const name = match.template === owner.name ? uri : (unwrapUri(uri)?.name ?? uri)
      return this.#lists.excludes(owner.server, name) ? undefined : { server: owner.server, name }
    }
    const wrapped = unwrapUri(uri)
    return wrapped && this.#lists.includes(wrapped.server, wrapped.name) ? wrapped : undefined
  }

  #matcherOf(templates: Table): ReturnType<typeof createTemplateMatcher> {
    let matcher = this.#matchers.get(templates)
    if (!matcher) {
      matcher = createTemplateMatcher([...templates.owners.keys()])
      this.#matchers.set(templates, matcher)
    }
    return matcher
  }

  /** Nobody lists it, but a link may lead to it: the servers are asked in order. */
  async #askAround(
    root: Root,
    uri: string,
    params: JsonObject,
    context: MessageContext,
  ): Promise<JsonObject> {
    let answer: unknown
    for (const server of this.#lists.servers()) {
      if (!this.#lists.includes(server.name, uri)) continue
      const initialize = await this.#host.lists.initializeOf(root, server)
      const capabilities = initialize?.capabilities
      if (!(isObject(capabilities) && isObject(capabilities.resources))) continue
      try {
        const to = { server: server.name, method: 'resources/read', name: uri, params }
        const call = relayedCall(this.#host, context, { ...to, oneOfSeveral: true })
        return await this.#host.dispatcher.dispatch(call)
      } catch (error) {
        if (!saysNotFound(error)) throw error
        answer = error
      }
    }
    // A server's own words say more than ours.
    throw answer ?? notFound(uri)
  }

  #onlyServer(uri: string): Owner | undefined {
    const servers = this.#lists.servers().filter(({ name }) => this.#lists.includes(name, uri))
    const [only] = servers
    return servers.length === 1 && only ? { server: only.name, name: uri } : undefined
  }

  #send(
    owner: Owner,
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): JsonObject | Promise<JsonObject> {
    const { server, name } = owner
    const own = params.uri === name ? params : { ...params, uri: name }
    const call = relayedCall(this.#host, context, { server, method, name, params: own })
    return this.#host.dispatcher.dispatch(call)
  }
}

function uriOf(params: JsonObject): string {
  const { uri } = params
  if (typeof uri === 'string') return uri
  throw new ProtocolError(
    'INVALID_PARAMS',
    `Invalid params: "uri" must be a string, received ${JSON.stringify(uri) ?? 'nothing'}`,
  )
}

function notFound(uri: string): ProtocolError {
  return new ProtocolError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } })
}

/** -32002 in legacy revisions, -32602 in the modern one. */
function saysNotFound(error: unknown): boolean {
  return isProtocolError(error) && (error.number === -32002 || error.number === -32602)
}

function renameContents(result: JsonObject, from: string, to: string): JsonObject {
  const { contents } = result
  if (!Array.isArray(contents)) return result
  const renamed = contents.map((content: unknown) =>
    isObject(content) && content.uri === from ? { ...content, uri: to } : content,
  )
  return { ...result, contents: renamed }
}
