import {
  createTemplateMatcher,
  isObject,
  isProtocolError,
  type JsonObject,
  type MessageContext,
  ProtocolError,
} from '@mobius-mcp/protocol'
import { type Owner, type Table, unwrapUri, wrapUri } from './naming.ts'
import type { PublishedLists } from './published-lists.ts'
import { relayedCall } from './relayed-call.ts'
import type { Root } from './root.ts'
import type { PublicationHost } from './service.ts'

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
    const owner = (await this.#ownerOf(root, uri, params)) ?? this.#onlyServer()
    if (!owner) throw notFound(uri)
    const known = owner.name === '' ? { ...owner, name: uri } : owner
    const result = await this.#send(known, 'resources/subscribe', params, context)
    root.subscribe(known.server, known.name)
    return result
  }

  async unsubscribe(root: Root, params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const uri = uriOf(params)
    const owner = await this.#ownerOf(root, uri, params)
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

  /** The URI under which a server's resource is known outside. */
  exposed(root: Root, server: string, uri: string): string {
    const table = this.#lists.table(root, 'resources', {})
    if (table instanceof Promise) return uri
    const owner = table.owners.get(uri)
    return owner && owner.server !== server ? wrapUri(server, uri) : uri
  }

  /** By the list, by a template that it follows, or by the server named in it. */
  async #ownerOf(root: Root, uri: string, params: JsonObject): Promise<Owner | undefined> {
    const wrapped = unwrapUri(uri)
    if (wrapped && this.#host.server(wrapped.server)) return wrapped
    const resources = await this.#lists.table(root, 'resources', params)
    const listed = resources.owners.get(uri)
    if (listed) return listed
    const templates = await this.#lists.table(root, 'resourceTemplates', params)
    const match = this.#matcherOf(templates)(uri)
    const owner = match && templates.owners.get(match.template)
    return owner && { server: owner.server, name: uri }
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
      const initialize = await this.#host.lists.initializeOf(root, server)
      const capabilities = initialize?.capabilities
      if (!(isObject(capabilities) && isObject(capabilities.resources))) continue
      try {
        return await this.#send(
          { server: server.name, name: uri },
          'resources/read',
          params,
          context,
        )
      } catch (error) {
        if (!saysNotFound(error)) throw error
        answer = error
      }
    }
    // A server's own words say more than ours.
    throw answer ?? notFound(uri)
  }

  #onlyServer(): Owner | undefined {
    const servers = this.#lists.servers()
    const [only] = servers
    return servers.length === 1 && only ? { server: only.name, name: '' } : undefined
  }

  #send(
    owner: Owner,
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): Promise<JsonObject> {
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
