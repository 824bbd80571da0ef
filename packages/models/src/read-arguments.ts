import type { JsonObject } from '@mobius-mcp/protocol'
import type { ToolCallPart } from './request.ts'

/** Arguments as an object, or why they are none. */
export type ReadArguments = Pick<ToolCallPart, 'arguments' | 'invalid'>

/** Reads what a model wrote. Nothing at all means no arguments; anything but a JSON object is told to the model, and not called with. */
export function readArguments(text: string): ReadArguments {
  if (text.trim() === '') return { arguments: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { arguments: value as JsonObject }
    }
    const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
    return { arguments: {}, invalid: { text, reason: `Expected a JSON object, received ${kind}.` } }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { arguments: {}, invalid: { text, reason: `Expected a JSON object: ${reason}` } }
  }
}
