import {
  isObject,
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  ProtocolError,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { unknownServer } from './errors.ts'
import type { View, ViewSource } from './options.ts'
import { compileView, type Selection } from './refs.ts'
import { subjectOf } from './subject-of.ts'

/** What each list holds its things under, and what they are called by. */
const lists: Readonly<Record<string, readonly [items: string, name: string]>> = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
}

const uses: Readonly<Record<string, string>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
  'resources/subscribe': 'resource',
  'completion/complete': 'prompt or resource template',
}

/**
 * One server as it is, without what a view hides. The server's own names hold: aliases and
 * descriptions are for views of several.
 */
export class ServerView implements MessageHandler {
  readonly #inner: MessageHandler
  readonly #server: string
  readonly #view: ViewSource
  readonly #selections = new WeakMap<View, Selection>()

  constructor(inner: MessageHandler, server: string, view: ViewSource) {
    this.#inner = inner
    this.#server = server
    this.#view = view
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    if (!('id' in message)) return this.#inner.onMessage(message, context)
    const { method, params = {} } = message
    const selection = this.#selectionFor(context)
    if (!selection.server(this.#server)) throw unknownServer(this.#server)
    const what = uses[method]
    if (what !== undefined) {
      const name = subjectOf(params)
      if (!selection.select(this.#server, name)) throw unknownHere(what, name)
    }
    const list = lists[method]
    const answer = this.#inner.onMessage(message, context)
    return list ? this.#withoutHidden(selection, list, answer) : answer
  }

  async #withoutHidden(
    selection: Selection,
    [key, name]: readonly [string, string],
    answer: unknown,
  ): Promise<unknown> {
    const result = await answer
    if (!isObject(result)) return result
    const items = result[key]
    if (!Array.isArray(items)) return result
    const shown = (items as readonly JsonObject[]).filter((item) =>
      selection.select(this.#server, String(item[name])),
    )
    return shown.length === items.length ? result : { ...result, [key]: shown }
  }

  #selectionFor(context: MessageContext): Selection {
    const view = typeof this.#view === 'function' ? this.#view(context) : this.#view
    let selection = this.#selections.get(view)
    if (!selection) {
      selection = compileView(view)
      this.#selections.set(view, selection)
    }
    return selection
  }
}

/** As a server says it of what it does not have: what is hidden is not there. */
function unknownHere(what: string, name: string): ProtocolError {
  return new ProtocolError('INVALID_PARAMS', `Unknown ${what}: ${name}`)
}
