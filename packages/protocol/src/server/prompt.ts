import type { GetPromptResult, Icon, PromptMessage } from '@modelcontextprotocol/sdk/types.js'
import { ProtocolError } from '../errors.ts'
import type { JsonObject } from '../message.ts'
import type { Complete } from './resource.ts'
import type { ToolContext } from './tool-context.ts'

export interface PromptArgument {
  title?: string
  description?: string
  required?: boolean
  complete?: Complete
}

/** What a prompt may return: a text (one message of the user), messages, or a whole result. */
export type PromptReturn = string | PromptMessage[] | GetPromptResult

/** A prompt, ready to be part of a server. */
export interface Prompt {
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: JsonObject
  arguments?: Record<string, PromptArgument>
  get(args: Record<string, string>, context: ToolContext): PromptReturn | Promise<PromptReturn>
}

/** How a prompt is listed under a name. */
export function describePrompt(name: string, prompt: Prompt): JsonObject {
  const { arguments: declared, get: _, ...rest } = prompt
  const listed: JsonObject = { name, ...rest }
  if (declared) {
    listed.arguments = Object.entries(declared).map(([key, argument]) => {
      const { complete: _complete, ...shown } = argument
      return { name: key, ...shown }
    })
  }
  return listed
}

/** Checks the arguments of `prompts/get`. @throws ProtocolError `INVALID_PARAMS`, naming what is missing. */
export function checkPromptArguments(
  name: string,
  prompt: Prompt,
  given: JsonObject,
): Record<string, string> {
  const args: Record<string, string> = {}
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') {
      throw new ProtocolError(
        'INVALID_PARAMS',
        `Invalid arguments for prompt ${name}: ${key}: expected a string, received ${typeof value}`,
      )
    }
    Object.defineProperty(args, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  const missing = Object.entries(prompt.arguments ?? {})
    .filter(([key, argument]) => argument.required && !Object.hasOwn(args, key))
    .map(([key]) => key)
  if (missing.length > 0) {
    throw new ProtocolError(
      'INVALID_PARAMS',
      `Invalid arguments for prompt ${name}: missing ${missing.join(', ')}`,
    )
  }
  return args
}

export function toPromptResult(prompt: Prompt, value: PromptReturn): GetPromptResult {
  if (typeof value === 'string') {
    return toPromptResult(prompt, [{ role: 'user', content: { type: 'text', text: value } }])
  }
  if (!Array.isArray(value)) return value
  return prompt.description === undefined
    ? { messages: value }
    : { description: prompt.description, messages: value }
}
