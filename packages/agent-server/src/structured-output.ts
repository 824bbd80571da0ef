import type { AssistantPart, OutputShape } from '@mobius-mcp/models'
import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import { z } from 'zod'

/** An answer that fits, or what is wrong with it. */
type OutputCheck = { readonly output: JsonObject } | { readonly issues: string }

/** Checks an answer against the shape that was asked for. */
export type CheckOutput = (content: readonly AssistantPart[], output: unknown) => OutputCheck

/**
 * Compiles a shape.
 *
 * @throws TypeError where its schema cannot be read, naming the agent.
 */
export function compileOutput(agent: string, { schema }: OutputShape): CheckOutput {
  let compiled: z.ZodType
  try {
    compiled = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TypeError(`The output schema of agent "${agent}" cannot be read: ${reason}`)
  }
  return (content, output) => {
    const given = output === undefined ? parseText(content) : { value: output }
    if ('issues' in given) return given
    const { value } = given
    const checked = compiled.safeParse(value)
    if (!checked.success) return { issues: checked.error.issues.map(toLine).join('; ') }
    return isObject(value) ? { output: value } : { issues: 'expected an object at the root' }
  }
}

/** What the model is told about an answer that does not fit. */
export function repairText(issues: string): string {
  return `Your answer does not have the shape that it must have: ${issues}. Answer once more, with nothing but JSON of that shape.`
}

function parseText(content: readonly AssistantPart[]): { value: unknown } | { issues: string } {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  // Models like to put fences around it.
  const bare = text.trim().replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, '$1')
  try {
    return { value: JSON.parse(bare) }
  } catch {
    return { issues: 'it is no JSON' }
  }
}

function toLine({ path, message }: z.core.$ZodIssue): string {
  return path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message
}
