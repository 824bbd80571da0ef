import type { Secret } from './secret.ts'

/** Which language models there are: `revealModels` gives what `createModels` of `@mobius-mcp/models` takes. */
export interface ModelSettings {
  /** By name: a model is called `name/model`. Without prototype. */
  readonly providers: Readonly<Record<string, ProviderSettings>>
  /** Names for `provider/model` or for other names; `default` and `mini` among them. Without prototype. */
  readonly aliases: Readonly<Record<string, string>>
  /** By `provider/model`, or `provider/*` for all of its models. Without prototype. */
  readonly prices: Readonly<Record<string, PriceSettings>>
}

/** How a provider of models is spoken to. */
export type ModelDialect =
  | 'openai-chat'
  | 'openai-responses'
  | 'open-responses'
  | 'anthropic'
  | 'google'

/** Where models are. */
export interface ProviderSettings {
  readonly dialect: ModelDialect
  /** The vendor's own address where nothing is said. */
  readonly baseUrl?: string | Secret
  readonly key?: Secret
  readonly headers: Readonly<Record<string, string | Secret>>
}

/** What a million tokens cost. What has no price of its own costs as much as input. */
export interface PriceSettings {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}
