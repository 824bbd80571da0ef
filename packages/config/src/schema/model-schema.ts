import * as z from 'zod/mini'
import type { PriceSettings } from '../model-settings.ts'
import type { ModelsEntry, ProviderEntry, VariableEntry } from './config-file.ts'
import {
  checkHeader,
  checkHeaderName,
  checkNotEmpty,
  checkProviderName,
  checkUrl,
  checkVariable,
} from './rules.ts'
import { choice, closed, flag, list, map, number, text } from './schema-parts.ts'

export function modelsSchema(): z.ZodMiniType<ModelsEntry> {
  const name = z.exactOptional(text(checkNotEmpty))
  return closed({
    default: name,
    mini: name,
    aliases: z.exactOptional(map(text(checkNotEmpty), checkProviderName)),
    providers: z.exactOptional(map(providerSchema(), checkProviderName)),
    prices: z.exactOptional(map(priceSchema())),
  })
}

function providerSchema(): z.ZodMiniType<ProviderEntry> {
  return closed({
    dialect: z.exactOptional(
      choice(['openai-chat', 'openai-responses', 'open-responses', 'anthropic', 'google']),
    ),
    baseUrl: z.exactOptional(text(checkUrl)),
    key: z.exactOptional(text(checkHeader)),
    headers: z.exactOptional(map(text(checkHeader), checkHeaderName)),
  })
}

function priceSchema(): z.ZodMiniType<PriceSettings> {
  const price = number('what a million tokens cost, a number', { min: 0, max: 1e12 })
  return closed({
    input: price,
    output: price,
    cacheRead: z.exactOptional(price),
    cacheWrite: z.exactOptional(price),
  })
}

export function variablesSchema(): z.ZodMiniType<Record<string, VariableEntry>> {
  const variable: z.ZodMiniType<VariableEntry> = closed({
    description: z.exactOptional(text()),
    default: z.exactOptional(text()),
    options: z.exactOptional(list(text())),
    optional: z.exactOptional(flag()),
    secret: z.exactOptional(flag()),
  })
  return map(variable, checkVariable)
}
