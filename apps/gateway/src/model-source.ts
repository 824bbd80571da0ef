import type { ModelSource } from '@mobius-mcp/agent-server'
import {
  type Configuration,
  type ModelSettings,
  revealModels,
  type VariableValues,
} from '@mobius-mcp/config'
import { createClientModel, createModels, findLocalServers, type Models } from '@mobius-mcp/models'
import type { Clock } from '@mobius-mcp/protocol'
import type { Variables } from './variables.ts'

export interface ModelSourceOptions {
  /** The configuration of the moment. */
  current(): Pick<Configuration, 'models'>
  readonly variables: Pick<Variables, 'of'>
  readonly clock: Clock
}

/** The models of the configuration of the moment, for each with what they have said of its variables. */
export function createModelSource({ current, variables, clock }: ModelSourceOptions): ModelSource {
  let settings = current().models
  // Who has said nothing has the same values as all others who have not.
  let made = new WeakMap<VariableValues, Models>()
  const modelsFor = (values: VariableValues): Models => {
    const { models } = current()
    if (models !== settings) {
      settings = models
      made = new WeakMap()
    }
    const known = made.get(values)
    if (known) return known
    const { aliases, prices } = models
    const providers = revealLater(models, values)
    const created = createModels({ providers, aliases, prices, clock, offers: findLocalServers })
    made.set(values, created)
    return created
  }
  return {
    model(name, { principal, client }) {
      const models = modelsFor(variables.of(principal))
      return models.resolve(name) === 'client' ? createClientModel(client) : models.model(name)
    },
  }
}

/** A provider is revealed when a model of it is first asked for: what it lacks is no matter to the others. */
function revealLater(
  { providers }: ModelSettings,
  values: VariableValues,
): ReturnType<typeof revealModels>['providers'] {
  const later = Object.entries(providers).map(([name, provider]) => {
    const get = () =>
      revealModels({ providers: { [name]: provider }, aliases: {}, prices: {} }, values).providers[
        name
      ]
    return [name, { enumerable: true, get }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(later))
}
