import type { ModelDialect } from './model-settings.ts'

/** A vendor whose address is known, and what its own tools call the variables for it. */
export interface ModelVendor {
  readonly dialect: ModelDialect
  readonly keyVariables: readonly [string, ...string[]]
  readonly urlVariable?: string
  /** How the names of its models begin. */
  readonly models: RegExp
}

/** Providers that need not be configured, by their names. */
export const modelVendors: ReadonlyMap<string, ModelVendor> = new Map<string, ModelVendor>([
  [
    'openai',
    {
      dialect: 'openai-responses',
      keyVariables: ['OPENAI_API_KEY'],
      urlVariable: 'OPENAI_BASE_URL',
      models: /^(?:gpt-|chatgpt-|codex-|o\d)/,
    },
  ],
  [
    'anthropic',
    {
      dialect: 'anthropic',
      keyVariables: ['ANTHROPIC_API_KEY'],
      urlVariable: 'ANTHROPIC_BASE_URL',
      models: /^claude/,
    },
  ],
  [
    'google',
    {
      dialect: 'google',
      keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      models: /^gemini/,
    },
  ],
])

/** Names that stand for a model and need not be configured. */
export const standingAliases = ['default', 'mini', 'console', 'client'] as const

/** What a model may be called by. */
export interface ModelNames {
  /** Those that the configuration gives. */
  readonly aliases: readonly string[]
  /** Those that the configuration has. */
  readonly providers: readonly string[]
}

/**
 * A model's name as `provider/model`, or the alias that it is. One without a provider is its vendor's,
 * or that of the only provider. `undefined` where nobody can tell.
 */
export function resolveModelName(
  name: string,
  { aliases, providers }: ModelNames,
): string | undefined {
  const standing: readonly string[] = standingAliases
  if (aliases.includes(name) || standing.includes(name)) return name
  const slash = name.indexOf('/')
  if (slash >= 0) {
    const provider = name.slice(0, slash)
    const known = providers.includes(provider) || modelVendors.has(provider)
    return known && slash < name.length - 1 ? name : undefined
  }
  const vendor = [...modelVendors].find(([, { models }]) => models.test(name))?.[0]
  const [only, ...more] = providers
  const provider = vendor ?? (more.length === 0 ? only : undefined)
  return provider === undefined ? undefined : `${provider}/${name}`
}

/** The provider of a resolved name; `undefined` of an alias. */
export function providerOf(name: string): string | undefined {
  const slash = name.indexOf('/')
  return slash < 0 ? undefined : name.slice(0, slash)
}
