import { isObject, type JsonObject, listMethods, ProtocolError } from '@mobius-mcp/protocol'
import { unknownServer } from './errors.ts'
import type { View, ViewSource, ViewSubject } from './options.ts'
import { compileView, type Selection } from './refs.ts'
import { subjectOf } from './subject-of.ts'

/** What requests are about, in words. */
const subjects: Readonly<Record<string, string>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
  'resources/subscribe': 'resource',
}

/** What a view lets through of one server under its own names. Aliases and descriptions are for other doors. */
export class ServerView {
  readonly #server: string
  readonly #source: ViewSource
  readonly #selections = new WeakMap<View, Selection>()

  constructor(server: string, source: ViewSource) {
    this.#server = server
    this.#source = source
  }

  /** @throws ProtocolError `INVALID_PARAMS` where the view hides the server, or what the request is about. */
  check(subject: ViewSubject, method: string, params: JsonObject): void {
    const selection = this.#of(subject)
    if (!selection.server(this.#server)) throw unknownServer(this.#server)
    const name = subjectOf(params)
    if (name === '' || selection.select(this.#server, name)) return
    // As a server says it of what it does not have: what is hidden is not there.
    throw new ProtocolError('INVALID_PARAMS', `Unknown ${subjects[method] ?? 'name'}: ${name}`)
  }

  /** A result without what the view hides of a list. */
  filter(subject: ViewSubject, method: string, result: JsonObject): JsonObject {
    const list = Object.values(listMethods).find((each) => each.method === method)
    const items = list && result[list.member]
    if (!list || !Array.isArray(items)) return result
    const selection = this.#of(subject)
    const isShown = (item: unknown) =>
      isObject(item) && selection.select(this.#server, String(item[list.name])) !== undefined
    return items.every(isShown) ? result : { ...result, [list.member]: items.filter(isShown) }
  }

  #of(subject: ViewSubject): Selection {
    const view = typeof this.#source === 'function' ? this.#source(subject) : this.#source
    let selection = this.#selections.get(view)
    if (!selection) {
      selection = compileView(view)
      this.#selections.set(view, selection)
    }
    return selection
  }
}
