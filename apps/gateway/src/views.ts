import type { BearerKey, Configuration, PublishSettings } from '@mobius-mcp/config'
import type { Principal } from '@mobius-mcp/protocol'
import type { View, ViewSource } from '@mobius-mcp/tools-service'
import { defaultAgentsOf } from './default-agent.ts'
import { isOperator } from './operators.ts'
import { entrypointsOf } from './to-agents.ts'

/** What those who come in see, by the configuration of the moment. */
export interface Views {
  /** All that is published to them. */
  readonly all: ViewSource
  /** What of a group is. */
  group(name: string): ViewSource
  /** What of a server, under its own names, is. */
  readonly single: ViewSource
  /** The agents that people are led to. */
  readonly agents: ViewSource
}

export interface ViewsOptions {
  /** The configuration of the moment. */
  current(): Configuration
  /** Built-in servers that clients see where the configuration does not say otherwise. */
  readonly builtIn: readonly string[]
  /** `server/tool` of what operators alone see. */
  readonly operatorsOnly: readonly string[]
  /** `server/tool` of what clients see where they are asked for, or where the server stands alone. */
  readonly unlessAsked: readonly string[]
}

/** Makes views. The same one is given again as long as neither the configuration nor the caller differs. */
export function createViews(options: ViewsOptions): Views {
  const { current, builtIn, operatorsOnly, unlessAsked } = options
  // A client has tools enough to choose from.
  const builtInRefs = [...builtIn, ...unlessAsked.map((target) => `!${target}`)]
  const hidden = operatorsOnly.map((target) => `!${target}`)
  let book = new ViewBook(current())

  const bookNow = (): ViewBook => {
    const configuration = current()
    if (book.configuration !== configuration) book = new ViewBook(configuration, book)
    return book
  }

  const sourceOf = (
    door: string,
    make: (configuration: Configuration, key: BearerKey | undefined) => View,
  ): ViewSource => {
    // Principals stand for whoever came in, and are the same for each of their messages.
    let views = new WeakMap<Principal, View>()
    let made = book
    return ({ principal }) => {
      const latest = bookNow()
      if (made !== latest) {
        views = new WeakMap()
        made = latest
      }
      const known = views.get(principal)
      if (known) return known
      const operator = isOperator(principal)
      const who = `${operator ? 'operator' : 'client'} ${principal.issuer === keyIssuer ? principal.id : ''}`
      const view = latest.view(`${door}\n${who}`, (configuration) => {
        const shown = make(configuration, keyOf(configuration, principal))
        return operator ? shown : { ...shown, refs: [...shown.refs, ...hidden] }
      })
      views.set(principal, view)
      return view
    }
  }

  // An agent reaches what all clients see: a key that is shown less sees one only where it says so.
  const shownTo = (configuration: Configuration, key: BearerKey | undefined) =>
    key?.publish
      ? toView(key.publish, builtInRefs)
      : toView(configuration.publish, [...builtInRefs, ...defaultAgentsOf(configuration)])

  return {
    all: sourceOf('/mcp', shownTo),
    group: (name) =>
      sourceOf(`/mcp/g/${name}`, (configuration, key) => {
        const group = configuration.groups[name]
        if (!group) return { refs: [] }
        const view = toView({ ...group, implied: false }, [])
        return key?.publish ? { ...view, within: toView(key.publish, builtInRefs).refs } : view
      }),
    agents: sourceOf('/mcp/chat', (configuration, key) => {
      const refs = entrypointsOf(configuration)
      return key?.publish ? { refs, within: toView(key.publish, builtInRefs).refs } : { refs }
    }),
    single: sourceOf('/mcp/s', (_, key) =>
      key?.publish ? toView(key.publish, builtInRefs) : { refs: ['*'] },
    ),
  }
}

/** The views of one configuration. One that says the same as one of the configuration before is the same. */
class ViewBook {
  readonly configuration: Configuration
  readonly #views = new Map<string, View>()
  readonly #byText = new Map<string, View>()
  readonly #earlier: ReadonlyMap<string, View>

  constructor(configuration: Configuration, before?: ViewBook) {
    this.configuration = configuration
    // One change may follow another before anybody has asked for anything.
    const asked = before && before.#byText.size > 0 ? before.#byText : undefined
    this.#earlier = asked ?? (before ? before.#earlier : new Map())
  }

  view(key: string, make: (configuration: Configuration) => View): View {
    const known = this.#views.get(key)
    if (known) return known
    const made = make(this.configuration)
    const text = JSON.stringify(made)
    const view = this.#byText.get(text) ?? this.#earlier.get(text) ?? made
    this.#views.set(key, view)
    this.#byText.set(text, view)
    return view
  }
}

/** What `bearerKeys` of the HTTP host says of those whom it lets in. */
const keyIssuer = 'bearer-key'

function keyOf(configuration: Configuration, { id, issuer }: Principal) {
  if (issuer !== keyIssuer) return undefined
  return configuration.http.keys.find(({ name }) => name === id)
}

/** What the settings say, else the servers of the configuration and the built-in ones for clients. */
function toView({ refs, implied, describe }: PublishSettings, builtIn: readonly string[]): View {
  return { refs: implied ? [...builtIn, ...refs] : refs, describe }
}
