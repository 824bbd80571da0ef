import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { Fetch } from './authorized-fetch.ts'
import { createConsoleModel } from './console.ts'
import { type Prices, priceOf } from './cost.ts'
import { ModelError } from './errors.ts'
import type { LocalServer } from './local-servers.ts'
import type { Model } from './model.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { openLanguageModel } from './providers.ts'
import { type RetryPolicy, standardRetry } from './retry.ts'
import { streamAnswer } from './stream-answer.ts'

/** All models that are configured. */
export interface Models {
  /**
   * The model of a name: `provider/model`, or an alias. Without a name, `default`; where that is not configured, `console`,
   * and `mini` is `default` unless it is. Throws `MODEL_UNKNOWN` for any other name that is not known.
   */
  model(name?: string): Model
  /** What a name stands for, when all aliases are followed: `provider/model`, `console`, or a name that is not known. */
  resolve(name?: string): string
  /** True where `default` is a model, and not `console`. */
  readonly isConfigured: boolean
}

/** What models are made of. Everything comes in as values. */
export interface ModelsOptions {
  /** By name; a model is then `name/model`. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  /** Names for `provider/model` or other aliases; `default` and `mini` are those that everything asks for. */
  readonly aliases?: Readonly<Record<string, string>>
  /** What `console` offers where there is no model; `findLocalServers` by choice. Nothing is looked for otherwise. */
  readonly offers?: () => Promise<readonly LocalServer[]>
  readonly prices?: Prices
  readonly retry?: Partial<RetryPolicy>
  /** Milliseconds without anything from a provider after which an answer is given up; 0 waits for ever. Five minutes by default. */
  readonly idleTimeout?: number
  readonly fetch?: Fetch
  readonly clock?: Clock
  /** From 0 to 1, to spread retries. */
  readonly random?: () => number
}

const fiveMinutes = 300_000

/** Makes models. No provider's package is loaded, and nothing is connected to, before a model is first asked. */
export function createModels(options: ModelsOptions = {}): Models {
  const opened = new Map<string, Model>()
  const console = createConsoleModel({
    providers: Object.keys(options.providers ?? {}),
    ...(options.offers ? { offers: options.offers } : {}),
  })
  return {
    isConfigured:
      Boolean(options.aliases?.default) && resolveAlias('default', options) !== 'console',
    resolve: (name) => resolveAlias(name || 'default', options),
    model(name) {
      const resolved = resolveAlias(name || 'default', options)
      if (resolved === 'console') return console
      const known = opened.get(resolved)
      if (known) return known
      const model = createModel(resolved, options)
      opened.set(resolved, model)
      return model
    },
  }
}

/** Follows aliases to a `provider/model` or `console`. */
function resolveAlias(name: string, { aliases = {} }: ModelsOptions): string {
  const seen: string[] = []
  let current = name
  while (Object.hasOwn(aliases, current) && aliases[current]) {
    if (seen.includes(current)) {
      const circle = [...seen, current].join(' -> ')
      throw new ModelError('MODEL_UNKNOWN', `The aliases lead in a circle: ${circle}.`)
    }
    seen.push(current)
    current = aliases[current] ?? current
  }
  if (current === 'mini') return resolveAlias('default', { aliases })
  return current === 'default' ? 'console' : current
}

function createModel(name: string, options: ModelsOptions): Model {
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, slash))
  const model = name.slice(slash + 1)
  const settings = Object.hasOwn(options.providers ?? {}, provider)
    ? options.providers?.[provider]
    : undefined
  if (slash < 1 || model === '' || !settings) throw unknown(name, options)
  const fetch = options.fetch ?? globalThis.fetch
  let loading: Promise<LanguageModelV4> | undefined
  const source = {
    name,
    provider,
    dialect: settings.dialect,
    open: () => {
      loading ??= openLanguageModel(settings, model, fetch)
      return loading
    },
    secrets: secretsOf(settings),
    price: priceOf(options.prices, provider, model),
    retry: { ...standardRetry, ...options.retry },
    idleTimeout: options.idleTimeout ?? fiveMinutes,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
  return {
    name,
    stream: (request, { signal } = {}) => streamAnswer(source, request, signal),
  }
}

/** Longest first, so that no part of one stays behind. Very short values are no secrets, and would blot out texts. */
function secretsOf({ key = '', headers = {}, baseUrl = '' }: ProviderSettings): string[] {
  const inUrl = /\/\/([^/@]+)@/.exec(baseUrl)?.[1] ?? ''
  return [key, inUrl, ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])]
    .filter((value) => value.length >= 6)
    .toSorted((a, b) => b.length - a.length)
}

function unknown(name: string, { providers = {}, aliases = {} }: ModelsOptions): ModelError {
  const list = (names: string[]): string => names.toSorted().join(', ') || 'none'
  return new ModelError(
    'MODEL_UNKNOWN',
    `Expected provider/model or an alias, received ${JSON.stringify(name.slice(0, 100))}. ` +
      `Providers: ${list(Object.keys(providers))}. Aliases: ${list(Object.keys(aliases))}. ` +
      'Add the provider or the alias to the configuration, or use one of these.',
  )
}
