import type { Model, Usage } from '@mobius-mcp/models'
import type { AgentDefinition } from './agent-definition.ts'
import type { AgentTools } from './agent-tools.ts'
import { type Compaction, fullShare, planCompaction, summarise } from './compaction.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { toMessages } from './to-messages.ts'
import type { Turn } from './turn.ts'
import { fireTurnHooks } from './turn-hooks.ts'

const defaultWindow = 200_000

export interface CompactOptions {
  readonly definition: AgentDefinition
  readonly instructions: string | undefined
  readonly tools: AgentTools
  /** Which question to the model it is for. */
  readonly count: number
  /** The model said that the conversation is too long, whatever was thought of it here. */
  readonly isForced: boolean
}

/** What summarising used up. */
export interface Spent {
  readonly usage: readonly Usage[]
  readonly cost?: number | undefined
}

/**
 * Summarises what is old where the conversation grows too large for the model. `undefined` where
 * that need not, or could not, be done: then the model is asked all the same.
 */
export async function compactTurn(turn: Turn, options: CompactOptions): Promise<Spent | undefined> {
  const { definition, instructions = '', tools, count, isForced } = options
  // What was asked already was asked with what there was then.
  if (!isForced && turn.wasDone(`model-${count}`)) return undefined
  const { contextWindow = defaultWindow } = definition
  const { items } = turn.thread.log
  const tokens = estimateTokens(toMessages(items), instructions, tools.models)
  if (!isForced && tokens <= fullShare * contextWindow) return undefined
  const plan = planCompaction(items, turn.id, contextWindow)
  if (!plan) return undefined
  const about = { thread: turn.thread.id, tokens }
  const before = await fireTurnHooks(turn, 'PreCompact', about)
  if (before.blocked !== undefined) return undefined
  turn.tell({ type: 'compaction-start', tokens })
  const step = `compact-${count}${isForced ? '-forced' : ''}`
  const outcome = await turn.step(step, true, async (): Promise<Compaction | null> => {
    const model = modelOf(turn, definition.model)
    const { signal } = turn.cancellation
    return (model && (await summarise(model, plan, { contextWindow, signal }))) ?? null
  })
  const made = outcome.kind === 'finished' ? outcome.value : null
  turn.tell({ type: 'compaction-end', done: made !== null })
  if (!made) return undefined
  const { text, through, usage, cost } = made
  await turn.append(step, { type: 'summary', turn: turn.id, text, through })
  await fireTurnHooks(turn, 'PostCompact', { ...about, summary: text })
  return { usage, cost }
}

/** A model that is not there is told of when it is asked. */
function modelOf(turn: Turn, name: string | undefined): Model | undefined {
  try {
    return turn.model(name)
  } catch {
    return undefined
  }
}
