import {
  type Caller,
  isObject,
  type JsonObject,
  type Prompt,
  type PromptArgument,
  type PromptReturn,
  type Resource,
} from '@mobius-mcp/protocol'

/** The prompts that an agent's server offers of others. */
export async function offeredPrompts(
  refs: readonly string[],
  caller: Caller,
): Promise<Record<string, Prompt>> {
  if (refs.length === 0) return {}
  const { entries } = await caller.list('prompts', refs)
  const prompts = entries.map(({ server, name, alias, value }): [string, Prompt] => {
    const { name: _name, arguments: declared, ...rest } = value
    const prompt: Prompt = {
      ...rest,
      arguments: toArguments(declared),
      get: async (args) => {
        const result = await caller.request(server, 'prompts/get', { name, arguments: args })
        // Another server's answer: passed on as it is.
        return result as unknown as PromptReturn
      },
    }
    return [alias ?? name, prompt]
  })
  return Object.fromEntries(prompts)
}

/** The resources that an agent's server offers of others. */
export async function offeredResources(
  refs: readonly string[],
  caller: Caller,
): Promise<Record<string, Resource>> {
  if (refs.length === 0) return {}
  const { entries } = await caller.list('resources', refs)
  const resources = entries.map(({ server, name: uri, value }): [string, Resource] => {
    const { uri: _uri, name, ...rest } = value
    const resource: Resource = {
      ...rest,
      name: String(name),
      read: async () => {
        const result = await caller.request(server, 'resources/read', { uri })
        return { ...result, contents: Array.isArray(result.contents) ? result.contents : [] }
      },
    }
    return [uri, resource]
  })
  return Object.fromEntries(resources)
}

function toArguments(declared: unknown): Record<string, PromptArgument> {
  const all = Array.isArray(declared) ? declared.filter(isObject) : []
  return Object.fromEntries(
    all.map(({ name, ...argument }: JsonObject) => [String(name), argument as PromptArgument]),
  )
}
