import {
  type Caller,
  type CallOptions,
  type CallResult,
  createCallId,
  type Entry,
  type JsonObject,
  type Listing,
  type ListKind,
  listMethods,
  type MessageContext,
  type Target,
} from '@mobius-mcp/protocol'
import { Call, type CallHost, type CallNode } from './call.ts'
import type { Dispatcher } from './dispatcher.ts'
import { noHops } from './hops.ts'
import type { Gathered } from './lists.ts'
import { compileView } from './refs.ts'
import { subjectOf } from './subject-of.ts'

export interface CallerHost extends CallHost {
  readonly dispatcher: Dispatcher
  gatherFor(
    context: MessageContext,
    kind: ListKind,
    wanted: (server: string) => boolean,
  ): Promise<Gathered>
}

const noOptions: CallOptions = {}

/** A `Caller` whose calls are children of one call, or the roots of work that no message started. */
export class BoundCaller implements Caller {
  readonly #host: CallerHost
  readonly #context: MessageContext

  constructor(host: CallerHost, context: MessageContext) {
    this.#host = host
    this.#context = context
  }

  request(
    server: string,
    method: string,
    params: JsonObject,
    options: CallOptions = noOptions,
  ): Promise<JsonObject> {
    const answer = this.#request(server, method, params, options)
    return answer instanceof Promise ? answer : Promise.resolve(answer)
  }

  #request(
    server: string,
    method: string,
    params: JsonObject,
    options: CallOptions,
  ): JsonObject | Promise<JsonObject> {
    const cause: CallNode = this.#context.call
    const call = new Call(
      this.#host,
      this.#context,
      {
        id: createCallId(),
        parent: cause.id,
        origin: cause.origin,
        depth: cause.depth + 1,
        hops: cause.hops ?? noHops,
        server,
        method,
        name: subjectOf(params),
        params,
      },
      options,
    )
    call.timing = cause.times
    return this.#host.dispatcher.dispatch(call)
  }

  call(target: Target, args: JsonObject, options?: CallOptions): Promise<CallResult> {
    const params = { name: target.tool, arguments: args }
    return this.request(target.server, 'tools/call', params, options) as Promise<CallResult>
  }

  /** The same, and what is answered at once is returned as it is. */
  callNow(target: Target, args: JsonObject): CallResult | Promise<CallResult> {
    const params = { name: target.tool, arguments: args }
    const answer = this.#request(target.server, 'tools/call', params, noOptions)
    return answer as CallResult | Promise<CallResult>
  }

  async list(kind: ListKind, refs: readonly string[]): Promise<Listing> {
    const selection = compileView({ refs })
    const gathered = await this.#host.gatherFor(this.#context, kind, selection.server)
    const { name: member } = listMethods[kind]
    const entries: Entry[] = gathered.lists.flatMap(({ server, items }) =>
      items.flatMap((value) => {
        const name = String(value[member])
        const selected = selection.select(server.name, name)
        return selected ? [{ server: server.name, name, alias: selected.alias, value }] : []
      }),
    )
    const missing = gathered.missing.map(({ server, reason }) => ({ server, reason }))
    return { entries, missing }
  }
}
