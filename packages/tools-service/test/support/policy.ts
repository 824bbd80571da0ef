import {
  compileHooks,
  type HookDefinition,
  type HookMessage,
  type Hooks,
  parseHookKey,
  parseHookTarget,
} from '@mobius-mcp/hooks'
import {
  type CallResult,
  isObject,
  type JsonObject,
  type MessageContext,
  type ServerDefinition,
} from '@mobius-mcp/protocol'
import type { TestClock } from '@mobius-mcp/testing/test-clock.ts'
import { answerTools } from './upstream.ts'

/** What a hook's target is told. */
export interface HookInput extends JsonObject {
  point: string
  direction: 'request' | 'response'
  server: string
  name: string
  message: HookMessage
  call: JsonObject
}

/** What a hook's target does: structured content, a whole result, nothing, or a failure. */
export type Judge = (input: HookInput, context: MessageContext) => unknown

/** A server for hooks alone, and what its tools were told. */
export interface Policy {
  readonly definition: ServerDefinition
  readonly seen: HookInput[]
  readonly contexts: MessageContext[]
}

export function createPolicy(judges: Readonly<Record<string, Judge>>, name = 'policy'): Policy {
  const seen: HookInput[] = []
  const contexts: MessageContext[] = []
  const tools = Object.fromEntries(
    Object.entries(judges).map(([tool, judge]) => [
      tool,
      async ({ arguments: args }: JsonObject, context: MessageContext) => {
        const input = args as HookInput
        seen.push(input)
        contexts.push(context)
        return toResult(await judge(input, context))
      },
    ]),
  )
  const definition = { name, visibility: 'hooks' as const, create: () => answerTools(tools) }
  return { definition, seen, contexts }
}

/** Hooks as a configuration has them: by key, a target, several, or the long form. */
export function toHooks(
  entries: Readonly<Record<string, string | readonly string[]>>,
  more: Partial<HookDefinition> = {},
  clock?: TestClock,
): Hooks {
  const definitions = Object.entries(entries).flatMap(([key, targets]) =>
    [targets].flat().map((text) => ({
      id: `${key} ${text}`,
      ...parseHookKey(key),
      ...parseHookTarget(text),
      ...more,
    })),
  )
  return compileHooks(definitions, { clock })
}

function toResult(answer: unknown): CallResult {
  if (answer === undefined) return { content: [] }
  if (isObject(answer) && 'content' in answer) return answer as CallResult
  return { content: [], structuredContent: answer }
}
