import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from './events.ts'

/** Usage without what is not known. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const counts: Record<keyof Usage, number | undefined> = {
    inputTokens: inputTokens.total,
    cacheReadTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    outputTokens: outputTokens.total,
    reasoningTokens: outputTokens.reasoning,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}
