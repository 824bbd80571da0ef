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
}

/** Makes views. The same one is given again as long as neither the configuration nor the caller differs. */
export function createViews({ current, builtIn, operatorsOnly }: ViewsOptions): Views {
  const hidden = operatorsOnly.map((target) => `!${target}`)
  // A view that says the same is the same: nobody is told of a change that is none.
  const same = new Map<string, View>()
  let made = { configuration: current(), views: new Map<string, View>() }

  const remembered = (key: string, make: (configuration: Configuration) => View): View => {
    const configuration = current()
    if (made.configuration !== configuration) made = { configuration, views: new Map() }
    const known = made.views.get(key)
    if (known) return known
    const view = make(configuration)
    const text = JSON.stringify(view)
    const kept = same.get(text) ?? view
    same.set(text, kept)
    made.views.set(key, kept)
    return kept
  }

  const sourceOf =
    (
      door: string,
      make: (configuration: Configuration, key: BearerKey | undefined) => View,
    ): ViewSource =>
    ({ principal }) => {
      const operator = isOperator(principal)
      const who = `${operator ? 'operator' : 'client'} ${principal.issuer === keyIssuer ? principal.id : ''}`
      return remembered(`${door}\n${who}`, (configuration) => {
        const view = make(configuration, keyOf(configuration, principal))
        return operator ? view : { ...view, refs: [...view.refs, ...hidden] }
      })
    }

  // An agent reaches what all clients see: a key that is shown less sees one only where it says so.
  const shownTo = (configuration: Configuration, key: BearerKey | undefined) =>
    key?.publish
      ? toView(key.publish, builtIn)
      : toView(configuration.publish, [...builtIn, ...defaultAgentsOf(configuration)])

  return {
    all: sourceOf('/mcp', shownTo),
    group: (name) =>
      sourceOf(`/mcp/g/${name}`, (configuration, key) => {
        const group = configuration.groups[name]
        if (!group) return { refs: [] }
        const view = toView({ ...group, implied: false }, [])
        return key?.publish ? { ...view, within: toView(key.publish, builtIn).refs } : view
      }),
    agents: sourceOf('/mcp/chat', (configuration, key) => {
      const refs = entrypointsOf(configuration)
      return key?.publish ? { refs, within: toView(key.publish, builtIn).refs } : { refs }
    }),
    single: sourceOf('/mcp/s', (_, key) =>
      key?.publish ? toView(key.publish, builtIn) : { refs: ['*'] },
    ),
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
