import type {
  ModelDialect,
  ModelSettings,
  PriceSettings,
  ProviderSettings,
} from './model-settings.ts'
import { revealAll } from './reveal-connection.ts'
import { reveal } from './secret.ts'
import type { VariableValues } from './variable-settings.ts'

/** Models with every secret in its place: what `createModels` of `@mobius-mcp/models` takes. */
export interface RevealedModels {
  readonly providers: Readonly<Record<string, RevealedProvider>>
  readonly aliases: Readonly<Record<string, string>>
  readonly prices: Readonly<Record<string, PriceSettings>>
}

/** Where models are, for whoever asks them. */
export interface RevealedProvider {
  readonly dialect: ModelDialect
  readonly baseUrl?: string
  readonly key?: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Takes the secrets of models out of their wrapping, where they leave for the provider that they are for.
 * A provider that needs a declared variable which is neither set nor in `values` is there by its name, and
 * whoever reads it is thrown a MissingVariablesError: the others can be used.
 */
export function revealModels(
  { providers, aliases, prices }: ModelSettings,
  values?: VariableValues,
): RevealedModels {
  const revealed: Record<string, RevealedProvider> = {}
  for (const [name, provider] of Object.entries(providers)) {
    Object.defineProperty(revealed, name, {
      enumerable: true,
      get: () => revealProvider(provider, values),
    })
  }
  return { providers: revealed, aliases, prices }
}

function revealProvider(
  { dialect, baseUrl, key, headers }: ProviderSettings,
  values: VariableValues | undefined,
): RevealedProvider {
  return {
    dialect,
    ...(baseUrl !== undefined && { baseUrl: reveal(baseUrl, values) }),
    ...(key && { key: key.reveal(values) }),
    headers: revealAll(headers, values),
  }
}
