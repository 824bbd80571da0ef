import type { CallResult, JsonObject } from '@mobius-mcp/protocol'
import type { HookCall, HookRunner, HookSubject } from '../../src/index.ts'

/** What a hook's target does: structured content, a whole result, or a failure. */
export type Answer = (input: JsonObject, call: HookCall) => unknown

export interface SubjectOptions {
  /** Targets by `server/tool`. */
  targets?: Readonly<Record<string, Answer>>
  subject?: Partial<HookSubject>
}

/** A message on its way, a runner that reaches these targets, and what they were called with. */
export function createSubject({ targets = {}, subject = {} }: SubjectOptions = {}): {
  calls: { target: string; input: JsonObject }[]
  subject: HookSubject
  runner: HookRunner
} {
  const calls: { target: string; input: JsonObject }[] = []
  return {
    calls,
    subject: {
      name: 'search',
      message: { method: 'tools/call', params: { name: 'search', arguments: { query: 'x' } } },
      origin: { kind: 'client', name: 'editor' },
      ...subject,
    },
    async runner(call) {
      const target = `${call.target.server}/${call.target.tool}`
      calls.push({ target, input: call.input })
      const run = targets[target]
      if (!run) throw new Error(`Unknown tool: ${target}`)
      return toResult(await run(call.input, call))
    },
  }
}

/** A result that says nothing. */
export const silent: CallResult = { content: [] }

function toResult(answer: unknown): CallResult {
  if (answer === undefined) return silent
  if (typeof answer === 'object' && answer !== null && 'content' in answer) {
    return answer as CallResult
  }
  return { content: [], structuredContent: answer }
}

/** The message in a hook's input. */
export function messageIn(input: JsonObject): {
  method: string
  params: JsonObject & { arguments: JsonObject }
} {
  return input.message as ReturnType<typeof messageIn>
}
