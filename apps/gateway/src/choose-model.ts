import type { Configuration } from '@mobius-mcp/config'
import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** A model that may answer what a server asks, and what it is like. */
interface Candidate {
  /** `provider/model`, or an alias. */
  readonly model: string
  /** What hints may call it. */
  readonly names: readonly string[]
  readonly cost: number
  readonly speed: number
  readonly intelligence: number
}

/**
 * The model for a request of a server (MCP 2025-11-25, sampling, "Model Preferences"). The first hint that
 * is an agent's name or alias, or a part of a model's name, decides; else the priorities do, over agents
 * that say what they are like, where what is cheaper is preferred; else it is the default model.
 * `undefined` where nothing is configured that could answer.
 */
export function chooseModel(
  configuration: Pick<Configuration, 'agents' | 'models'>,
  preferences: unknown,
): string | undefined {
  const candidates = candidatesOf(configuration)
  const wishes = isObject(preferences) ? preferences : {}
  return (
    byHint(candidates, hintsOf(wishes)) ??
    byPriority(candidates, wishes) ??
    candidates.find(({ model }) => model === 'default')?.model ??
    candidates[0]?.model
  )
}

function candidatesOf({
  agents,
  models: { aliases },
}: Pick<Configuration, 'agents' | 'models'>): readonly Candidate[] {
  const unknown = { cost: 0, speed: 0, intelligence: 0 }
  const resolve = (model: string) => aliases[model] ?? model
  const ofAgents = agents
    .map(({ name, model = 'default', sampling: { aliases: others, ...like } }) => ({
      ...{ ...unknown, ...like, model },
      names: [name, ...others, resolve(model)],
    }))
    .filter(({ model }) => model !== 'default' || aliases.default !== undefined)
  const ofAliases = Object.entries(aliases).map(([model, target]) => ({
    ...{ ...unknown, model },
    names: [model, target],
  }))
  // A client is asked by those who have it, and not on behalf of a server of somebody else.
  return [...ofAgents, ...ofAliases].filter(({ model }) => resolve(model) !== 'client')
}

function hintsOf({ hints }: JsonObject): readonly string[] {
  const all = Array.isArray(hints) ? hints.filter(isObject) : []
  return all.flatMap(({ name }) => (typeof name === 'string' && name !== '' ? [name] : []))
}

/** Whole names go before parts of names, hint by hint. */
function byHint(candidates: readonly Candidate[], hints: readonly string[]): string | undefined {
  for (const hint of hints) {
    const found =
      candidates.find(({ names }) => names.includes(hint)) ??
      candidates.find(({ names }) => names.some((name) => name.includes(hint)))
    if (found) return found.model
  }
  return undefined
}

function byPriority(candidates: readonly Candidate[], wishes: JsonObject): string | undefined {
  const weight = (name: string) => (typeof wishes[name] === 'number' ? wishes[name] : 0)
  const [cost, speed, intelligence] = ['cost', 'speed', 'intelligence'].map((name) =>
    weight(`${name}Priority`),
  ) as [number, number, number]
  if (cost === 0 && speed === 0 && intelligence === 0) return undefined
  const known = candidates.filter((each) => each.cost + each.speed + each.intelligence > 0)
  const score = (each: Candidate) =>
    speed * each.speed + intelligence * each.intelligence - cost * each.cost
  // Of equals the first: the order of the configuration is somebody's.
  return known.toSorted((left, right) => score(right) - score(left))[0]?.model
}
