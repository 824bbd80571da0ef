import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { toPrompt } from './prompt.ts'
import type { Destination, Dialect } from './provider-settings.ts'
import type { ModelRequest } from './request.ts'
import { isStrictSchema } from './strict-schema.ts'
import type { VendorTools } from './vendor-tools.ts'

type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>

/** A request in the terms of the AI SDK's provider level. */
export function toCallOptions(
  request: ModelRequest,
  tools: VendorTools,
  destination: Destination,
): LanguageModelV4CallOptions {
  const { dialect } = destination
  const prompt = toPrompt(request, tools, destination)
  const { maxOutputTokens, temperature, topP, seed, reasoning, stopSequences } = request
  const options = providerOptions(request, dialect)
  return {
    prompt: dialect === 'anthropic' && request.cache !== false ? markForCache(prompt) : prompt,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.output === undefined ? {} : { responseFormat: toResponseFormat(request.output) }),
    ...(tools.definitions.length === 0 ? {} : { tools: tools.definitions }),
    // The package of this dialect lets anything pass as an event; so each is looked at.
    ...(dialect === 'open-responses' ? { includeRawChunks: true } : {}),
    ...toToolChoice(request.toolChoice, tools),
    ...(options === undefined ? {} : { providerOptions: options }),
  }
}

function toResponseFormat({
  schema,
  name,
  description,
}: NonNullable<ModelRequest['output']>): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  return {
    type: 'json',
    schema,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  }
}

function toToolChoice(
  choice: ModelRequest['toolChoice'],
  tools: VendorTools,
): Pick<LanguageModelV4CallOptions, 'toolChoice'> {
  // Without tools a choice is refused by every vendor.
  if (choice === undefined || tools.definitions.length === 0) return {}
  if (typeof choice === 'string') return { toolChoice: { type: choice } }
  return { toolChoice: { type: 'tool', toolName: tools.names.toVendor(choice.tool) } }
}

function providerOptions(request: ModelRequest, dialect: Dialect): ProviderOptions | undefined {
  const strictJsonSchema = request.output !== undefined && isStrictSchema(request.output.schema)
  switch (dialect) {
    case 'openai-chat':
      return request.output === undefined ? undefined : { openaiCompatible: { strictJsonSchema } }
    case 'openai-responses': {
      // Nothing is kept at the vendor: reasoning goes back encrypted with the next request.
      const options: JSONObject = { store: false, strictJsonSchema }
      if (request.reasoning !== undefined && request.reasoning !== 'none')
        options.reasoningSummary = 'auto'
      if (request.cache !== false && request.cache?.key) options.promptCacheKey = request.cache.key
      return { openai: options }
    }
    case 'google':
      return request.reasoning === undefined || request.reasoning === 'none'
        ? undefined
        : { google: { thinkingConfig: { includeThoughts: true } } }
    case 'anthropic':
    case 'open-responses':
      return undefined
    default:
      return dialect satisfies never
  }
}

/** Two breakpoints: what stays (tools and instructions), and what grows (all until now). */
function markForCache(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const last = prompt.length - 1
  return prompt.map((message, index) =>
    message.role === 'system' || index === last
      ? {
          ...message,
          providerOptions: {
            ...message.providerOptions,
            anthropic: {
              ...message.providerOptions?.anthropic,
              cacheControl: { type: 'ephemeral' },
            },
          },
        }
      : message,
  )
}
