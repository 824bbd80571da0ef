import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { JsonObject } from '@mobius-mcp/protocol'
import { authorizeFetch, type Fetch } from './authorized-fetch.ts'
import { endAtDone } from './end-at-done.ts'
import { ModelError } from './errors.ts'
import type { Dialect, ProviderSettings } from './provider-settings.ts'
import { isStrictSchema } from './strict-schema.ts'

const vendorUrls: Readonly<Record<Exclude<Dialect, 'open-responses'>, string>> = {
  'openai-chat': 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}

/** The vendors want some key; ours is put on later. */
const noKey = 'unused'

/** Loads the package of the dialect, when it is first needed, and opens one model. */
export async function openLanguageModel(
  settings: ProviderSettings,
  model: string,
  fetch: Fetch,
): Promise<LanguageModelV4> {
  // An empty address, from an unset variable, means the vendor's own.
  const baseURL = addressOf(settings).replace(/\/+$/, '')
  const options = { baseURL, apiKey: noKey, fetch: authorizeFetch(fetch, settings) }
  switch (settings.dialect) {
    case 'openai-chat': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        ...options,
        fetch: endAtDone(options.fetch),
        name: 'openaiCompatible',
        includeUsage: true,
        supportsStructuredOutputs: true,
        transformRequestBody: baseURL === vendorUrls['openai-chat'] ? renameMaxTokens : same,
      }).languageModel(model)
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).responses(model)
    }
    case 'open-responses': {
      const { createOpenResponses } = await import('@ai-sdk/open-responses')
      const url = `${baseURL}/responses`
      return createOpenResponses({
        ...options,
        url,
        fetch: withHonestStrict(options.fetch),
        name: 'openResponses',
      }).languageModel(model)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options).languageModel(model)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle(options).languageModel(model)
    }
    default:
      throw new TypeError(`No dialect is called ${String(settings.dialect satisfies never)}.`)
  }
}

function addressOf({ dialect, baseUrl }: ProviderSettings): string {
  if (baseUrl) return baseUrl
  if (dialect !== 'open-responses') return vendorUrls[dialect]
  const explanation =
    'A provider of the dialect open-responses needs a `baseUrl`. Add it to its configuration.'
  throw new ModelError('REQUEST_UNSUPPORTED', explanation)
}

type Body = Record<string, unknown>

/** The package promises strictness for every schema; servers refuse one that does not hold it. */
function withHonestStrict(fetch: Fetch): Fetch {
  return (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init)
    const body = JSON.parse(init.body) as { text?: { format?: { schema?: JsonObject } } }
    const schema = body.text?.format?.schema
    if (schema === undefined || isStrictSchema(schema)) return fetch(input, init)
    const text = { ...body.text, format: { ...body.text?.format, strict: false } }
    return fetch(input, { ...init, body: JSON.stringify({ ...body, text }) })
  }
}

const same = (body: Body): Body => body

/** OpenAI's reasoning models refuse `max_tokens`; other servers know nothing else. */
function renameMaxTokens({ max_tokens: limit, ...body }: Body): Body {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit }
}
