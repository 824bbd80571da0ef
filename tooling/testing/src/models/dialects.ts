import { anthropic } from './anthropic.ts'
import type { Fixture } from './fixture.ts'
import { google } from './google.ts'
import { openResponses } from './open-responses.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** Every dialect that models speak. */
export const dialects: readonly Fixture[] = [
  openaiChat,
  openaiResponses,
  openResponses,
  anthropic,
  google,
]
